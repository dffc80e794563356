/**
 * Reads a statement as PostgreSQL understands it: with the table of each column, and the function of each operator. The
 * tree is the body of a function with that statement, in PostgreSQL's format for nodes (`src/backend/nodes/outfuncs.c`).
 */
import type { Database } from "../../src/platform/storage/database.ts";

/** `<>` is null, and everything else that isn't a node or a list is a word. */
export type Value = Node | Value[] | string | null;

export interface Node {
  /** Such as `QUERY`, `OPEXPR` or `VAR`. */
  type: string;
  fields: Readonly<Record<string, Value>>;
}

/** @param text may have parameters, whose types PostgreSQL infers */
export async function readQueryTree({ pool }: Database, text: string): Promise<Node> {
  await pool.query(`prepare checked as ${text}`);
  const { rows: prepared } = await pool.query(
    "select array_to_string(parameter_types, ',') as types from pg_prepared_statements where name = 'checked'",
  );
  await pool.query("deallocate checked");
  const parameters = String(prepared[0]?.types);
  await pool.query(`create function checked(${parameters}) returns void language sql begin atomic ${text}\n; end`);
  const { rows } = await pool.query("select prosqlbody::text as tree from pg_proc where proname = 'checked'");
  await pool.query("drop function checked");
  const [tree] = nodesIn(parseTree(String(rows[0]?.tree)));
  if (tree === undefined) throw new Error(`No tree: ${text}`);
  return tree;
}

/** `[ … ]` are the bytes of a constant. */
const token = /[(){}]|\[[^\]]*\]|(?:\\.|[^\s(){}\\])+/g;

function parseTree(text: string): Value {
  const tokens = [...text.matchAll(token)].map(([found]) => found);
  let next = 0;
  return parseValue();

  function parseValue(): Value {
    const word = tokens[next++];
    if (word === "(") {
      const values: Value[] = [];
      while (tokens[next] !== ")") values.push(parseValue());
      next++;
      return values;
    }
    if (word === "{") return parseNode();
    if (word === undefined) throw new Error("The tree ends too early.");
    return word === "<>" ? null : word;
  }

  function parseNode(): Node {
    const type = tokens[next++] ?? "";
    const fields: Record<string, Value> = {};
    while (tokens[next] !== "}") {
      const name = (tokens[next++] ?? "").slice(1);
      const values: Value[] = [];
      while (tokens[next] !== "}" && tokens[next]?.startsWith(":") !== true) values.push(parseValue());
      fields[name] = values.length === 1 ? (values[0] ?? null) : values;
    }
    next++;
    return { type, fields };
  }
}

export function isNode(value: Value | undefined): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A field that is a word. */
export function textOf({ fields }: Node, name: string): string {
  const value = fields[name];
  return typeof value === "string" ? value : "";
}

/** The outermost nodes in a value. */
export function nodesIn(value: Value | undefined): Node[] {
  if (Array.isArray(value)) return value.flatMap(nodesIn);
  return isNode(value) ? [value] : [];
}

/** All nodes in a node. Of the queries in it, these include only the outermost nodes. */
export function innerNodes({ fields }: Node): Node[] {
  return Object.values(fields)
    .flatMap(nodesIn)
    .flatMap((node) => (node.type === "QUERY" ? [node] : withInner(node)));
}

export function withInner(node: Node): Node[] {
  return [node, ...innerNodes(node)];
}
