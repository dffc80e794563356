/**
 * Makes the mutants of a source file: copies with one small fault each, which a good test detects. The result is
 * deterministic and ordered by position.
 *
 * Types, imports, property names, error messages and `await` aren't changed (lint and types detect a missing `await`).
 * Mutants that don't parse are dropped. Types aren't checked, so some mutants wouldn't compile.
 */
import { parseSync } from "vite";

export interface Mutant {
  /** Path from the repository's root. */
  file: string;
  line: number;
  /** The innermost named function around the fault, or "" at module level. */
  within: string;
  operator: string;
  /** Replaces the source from `start` to `end`. */
  start: number;
  end: number;
  replacement: string;
  /** The original and the mutated line, without indentation. For a multi-line change, the first line. */
  before: string;
  after: string;
}

/**
 * A node in the parser's ESTree. Mutation operators read its other properties by name, because they use only a few of
 * the many node types.
 */
interface Node {
  type: string;
  start: number;
  end: number;
  [property: string]: unknown;
}

/** One replacement. `shownAt`: the position to show, if it isn't the start. */
interface Edit {
  operator: string;
  start: number;
  end: number;
  replacement: string;
  shownAt?: number;
}

export function mutantsOf(file: string, source: string): Mutant[] {
  const mutants: Mutant[] = [];
  const visit = (node: Node, parents: Node[]) => {
    for (const edit of editsOf(node, parents, source)) {
      if (isSound(file, applyEdit(source, edit)))
        mutants.push(mutantFrom(file, source, edit, nameAround([...parents, node])));
    }
    for (const child of childrenOf(node)) visit(child, [...parents, node]);
  };
  visit(parseSync(file, source).program as unknown as Node, []); // every ESTree node has these properties
  return mutants.sort((a, b) => a.start - b.start || a.end - b.end);
}

/** Returns the source with the mutant's fault. */
export function applyEdit(
  source: string,
  { start, end, replacement }: Pick<Mutant, "start" | "end" | "replacement">,
): string {
  return source.slice(0, start) + replacement + source.slice(end);
}

function editsOf(node: Node, parents: Node[], source: string): Edit[] {
  const parent = parents.at(-1);
  const replace = (operator: string, replacement: string): Edit => ({
    operator,
    start: node.start,
    end: node.end,
    replacement,
  });
  switch (node.type) {
    case "BinaryExpression":
      return isText(node["left"]) || isText(node["right"]) ? [] : swapOperator(node, binary, source);
    case "LogicalExpression":
      if (node["operator"] !== "??") return swapOperator(node, { "&&": ["||"], "||": ["&&"] }, source);
      return [{ operator: "default dropped", start: child(node, "left").end, end: node.end, replacement: "" }];
    case "UnaryExpression": {
      const { start } = child(node, "argument");
      if (node["operator"] !== "!" && node["operator"] !== "-") return [];
      return [{ operator: "negation dropped", start: node.start, end: start, replacement: "" }];
    }
    case "AssignmentExpression":
      return swapOperator(node, { "+=": ["-="], "-=": ["+="] }, source);
    case "UpdateExpression": {
      const other = node["operator"] === "++" ? "--" : "++";
      const argument = source.slice(child(node, "argument").start, child(node, "argument").end);
      return [replace("arithmetic", node["prefix"] === true ? other + argument : argument + other)];
    }
    case "IfStatement":
    case "ConditionalExpression": {
      const { start, end } = child(node, "test");
      return ["true", "false"].map((replacement) => ({ operator: "condition", start, end, replacement }));
    }
    case "MemberExpression":
    case "CallExpression":
      return [...unchain(node, source), ...dropLink(node)];
    case "ExpressionStatement":
      return isCall(child(node, "expression")) ? [replace("call dropped", ";")] : [];
    case "ThrowStatement":
      return [replace("throw dropped", ";")];
    case "ReturnStatement":
      return node["argument"] === null ? [replace("return dropped", ";")] : [];
    case "TemplateLiteral":
      if (isSql(node, parent, source)) return inSql(node, source);
      if (parent?.type === "TaggedTemplateExpression") return [];
      return isSentence(node, parents, source) || node.end - node.start === 2 ? [] : [replace("text emptied", '""')];
    case "Literal":
      return editsOfLiteral(node, parents, source);
    default:
      return [];
  }
}

function editsOfLiteral(node: Node, parents: Node[], source: string): Edit[] {
  const parent = parents.at(-1);
  const { value } = node;
  const whole = (operator: string, replacement: string): Edit => ({
    operator,
    start: node.start,
    end: node.end,
    replacement,
  });
  if (typeof value === "boolean") return [whole("boolean", String(!value))];
  if (typeof value === "number") {
    // No test could detect that a timeout is one unit longer.
    const isTime = parents.some(
      ({ type, ...declared }) => type === "VariableDeclarator" && /(Ms|Seconds)$/.test(nameOf(declared["id"])),
    );
    return [whole("number", String(isTime ? value * 2 : value + 1))];
  }
  if (typeof node["bigint"] === "string") return [whole("number", `${BigInt(node["bigint"]) + 1n}n`)];
  if (typeof node["regex"] === "object" && node["regex"] !== null) return dropAnchors(node, source);
  if (typeof value !== "string" || value === "") return [];
  if (isSql(node, parent, source)) return inSql(node, source);
  const isName =
    parent?.["key"] === node || /^(Import|Export)/.test(parent?.type ?? "") || parent?.type === "ImportExpression";
  if (isName || isSentence(node, parents, source)) return [];
  const builder = parents.findLast(({ type }) => type !== "ArrayExpression");
  const call =
    builder?.type === "CallExpression" ? nameOf(child(builder, "callee")["property"] ?? builder["callee"]) : "";
  if (builder !== undefined && builderCalls.has(call)) {
    const others = builderOperators[value];
    if (others !== undefined) return others.map((other) => whole("comparison", JSON.stringify(other)));
    // Don't empty the name of a column or table: the database would refuse every statement, which any test detects.
    const isCompared = (call === "where" || call === "eb") && nodes(builder["arguments"])[2] === node;
    if (!isCompared) return [];
  }
  return [whole("text emptied", '""')];
}

const comparisons: Record<string, string[]> = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
};
const binary: Record<string, string[]> = {
  ...comparisons,
  "===": ["!=="],
  "!==": ["==="],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
};
/** Query builder calls such as `where("deadline", "<=", now)`. */
const builderOperators: Record<string, string[]> = {
  ...comparisons,
  "=": ["!="],
  "!=": ["="],
  is: ["is not"],
  "is not": ["is"],
  in: ["not in"],
};
const builderCalls = new Set(
  "where eb is selectFrom select updateTable insertInto deleteFrom innerJoin columns returning orderBy refTuple $asTuple as".split(
    " ",
  ),
);

function swapOperator(node: Node, others: Record<string, string[]>, source: string): Edit[] {
  const name = String(node["operator"]);
  const start = source.indexOf(name, child(node, "left").end);
  const kind = /[<>]|==/.test(name) ? "comparison" : /[&|]/.test(name) ? "logic" : "arithmetic";
  return (others[name] ?? []).map((replacement) => ({ operator: kind, start, end: start + name.length, replacement }));
}

/** `a?.b` becomes `a.b`. */
function unchain(node: Node, source: string): Edit[] {
  if (node["optional"] !== true) return [];
  const start = source.indexOf("?.", child(node, node.type === "CallExpression" ? "callee" : "object").end);
  const isMember = node.type === "MemberExpression" && node["computed"] !== true;
  return [{ operator: "optional chaining", start, end: start + 2, replacement: isMember ? "." : "" }];
}

/** `query.where("id", "=", id)` becomes `query`, and `list.filter(isGood)` becomes `list`. */
const links = "where orderBy limit forUpdate skipLocked filter sort slice trim toLowerCase".split(" ");

function dropLink(node: Node): Edit[] {
  if (node.type !== "CallExpression") return [];
  const callee = child(node, "callee");
  if (callee.type !== "MemberExpression" || !links.includes(nameOf(callee["property"]))) return [];
  const [start, shownAt] = [child(callee, "object").end, child(callee, "property").start];
  return [{ operator: "link dropped", start, end: node.end, replacement: "", shownAt }];
}

function dropAnchors(node: Node, source: string): Edit[] {
  const text = source.slice(node.start, node.end);
  const close = text.lastIndexOf("/");
  const drop = (at: number): Edit => ({
    operator: "anchor dropped",
    start: node.start + at,
    end: node.start + at + 1,
    replacement: "",
  });
  return [
    ...(text.startsWith("/^") ? [drop(1)] : []),
    ...(/[^\\]\$$/.test(text.slice(0, close)) ? [drop(close - 1)] : []),
  ];
}

function isSql(node: Node, parent: Node | undefined, source: string): boolean {
  if (parent?.type === "TaggedTemplateExpression") return nameOf(parent["tag"]) === "sql";
  return /^.\s*(select|insert|update|delete)\s/i.test(source.slice(node.start, node.end));
}

const sqlOperators: Record<string, string> = {
  "+": "-",
  "-": "+",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "=": "<>",
  "<>": "=",
  and: "or",
  or: "and",
};

/** SQL operators in strings. Code between `${` and `}` isn't SQL and is visited separately. */
function inSql(node: Node, source: string): Edit[] {
  const parts = node.type === "TemplateLiteral" ? nodes(node["quasis"]) : [node];
  return parts.flatMap((part) =>
    [...source.slice(part.start, part.end).matchAll(/(?<=\s)(?:[+-]|[<>]=?|=|<>|and|or)(?=\s)/g)].map(
      ({ 0: found, index }) => ({
        operator: /[+-]/.test(found) ? "arithmetic" : /[a-z]/.test(found) ? "logic" : "comparison",
        start: part.start + index,
        end: part.start + index + found.length,
        replacement: sqlOperators[found] ?? "",
      }),
    ),
  );
}

/** Whether it's an error message for people, which a test could only repeat. Codes contain no spaces. */
function isSentence(node: Node, parents: Node[], source: string): boolean {
  if (!source.slice(node.start, node.end).includes(" ")) return false;
  return parents.some(({ type, callee }) => type === "NewExpression" && nameOf(callee).endsWith("Error"));
}

function isText(value: unknown): boolean {
  if (!isNode(value)) return false;
  if (value.type === "BinaryExpression") return isText(value["left"]) || isText(value["right"]);
  return value.type === "TemplateLiteral" || (value.type === "Literal" && typeof value["value"] === "string");
}

/** `f()`, `await f()` and `void f()`. */
function isCall(node: Node): boolean {
  if (node.type === "AwaitExpression" || (node.type === "UnaryExpression" && node["operator"] === "void")) {
    return isCall(child(node, "argument"));
  }
  return node.type === "CallExpression" || (node.type === "ChainExpression" && isCall(child(node, "expression")));
}

/** Visits the expressions in wrappers that only add a type, but no other type nodes. */
function childrenOf(node: Node): Node[] {
  const wrappers = ["TSAsExpression", "TSNonNullExpression", "TSSatisfiesExpression"];
  if (wrappers.includes(node.type)) return [child(node, "expression")];
  if (node.type.startsWith("TS")) return [];
  return Object.values(node).flatMap((value) => (isNode(value) ? [value] : nodes(value)));
}

function nameAround(path: Node[]): string {
  const names = path.map((node, index) => {
    if (node.type === "FunctionDeclaration") return nameOf(node["id"]);
    const isFunction = node.type === "ArrowFunctionExpression" || node.type === "FunctionExpression";
    const holder = path[index - 1];
    return isFunction ? nameOf(holder?.["id"] ?? holder?.["key"]) : "";
  });
  return names.findLast((name) => name !== "") ?? "";
}

function mutantFrom(file: string, source: string, { shownAt, ...edit }: Edit, within: string): Mutant {
  const at = shownAt ?? edit.start;
  const from = source.lastIndexOf("\n", at - 1) + 1;
  const newline = source.indexOf("\n", at);
  const to = newline === -1 ? source.length : newline;
  const after =
    source.slice(from, Math.max(from, edit.start)) + edit.replacement + source.slice(Math.min(to, edit.end), to);
  const line = source.slice(0, at).split("\n").length;
  return { file, line, within, ...edit, before: source.slice(from, to).trim(), after: after.trim() };
}

function isSound(file: string, source: string): boolean {
  return parseSync(file, source).errors.length === 0;
}

function nameOf(value: unknown): string {
  return isNode(value) && typeof value["name"] === "string" ? value["name"] : "";
}

function child(node: Node, property: string): Node {
  const value = node[property];
  if (!isNode(value)) throw new Error(`Bug: ${node.type} has no ${property}`);
  return value;
}

function nodes(value: unknown): Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
