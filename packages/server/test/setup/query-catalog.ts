/** What PostgreSQL knows about the names in a query tree. */
import { sql } from "kysely";
import type { Database } from "../../src/platform/storage/database.ts";
import { nodesIn, type Node } from "./query-tree.ts";

/** All keys are OIDs. */
export interface Catalog {
  /** The tables of which Citus has the rows of different accounts on different workers. */
  owned: ReadonlyMap<string, { name: string; accountColumn: string }>;
  /** Its rows are on every node. */
  account: string;
  /** The operators named `=`. */
  equals: ReadonlySet<string>;
  functions: ReadonlyMap<string, { isImmutable: boolean; isVolatile: boolean; isStrict: boolean }>;
  /** The functions that convert each type to text and back. */
  conversions: ReadonlyMap<string, { input: string; output: string }>;
}

export async function readCatalog({ db }: Database): Promise<Catalog> {
  const tables = await sql<{ oid: string; name: string; account_column: string | null }>`
    select pg_class.oid::text as oid, relname as name, min(attnum) filter (where attname = 'account_no')::text as account_column
    from pg_class join pg_attribute on attrelid = pg_class.oid
    where relnamespace = 'public'::regnamespace and relkind = 'r' and attname in ('account_no', 'livemode')
    group by pg_class.oid, relname having count(*) = 2 or relname = 'account'`.execute(db);
  const operators = await sql<{ oid: string }>`select oid::text from pg_operator where oprname = '='`.execute(db);
  const functions = await sql<{ oid: string; volatility: string; is_strict: boolean }>`
    select oid::text, provolatile as volatility, proisstrict as is_strict from pg_proc`.execute(db);
  const types = await sql<{ oid: string; input: string; output: string }>`
    select oid::text, typinput::oid::text as input, typoutput::oid::text as output from pg_type`.execute(db);
  return {
    owned: new Map(
      tables.rows
        .filter(({ name }) => name !== "account")
        .map(({ oid, name, account_column }) => [oid, { name, accountColumn: account_column ?? "" }]),
    ),
    account: tables.rows.find(({ name }) => name === "account")?.oid ?? "",
    equals: new Set(operators.rows.map(({ oid }) => oid)),
    functions: new Map(
      functions.rows.map(({ oid, volatility, is_strict }) => [
        oid,
        { isImmutable: volatility === "i", isVolatile: volatility === "v", isStrict: is_strict },
      ]),
    ),
    conversions: new Map(types.rows.map(({ oid, input, output }) => [oid, { input, output }])),
  };
}

/** The functions that a node itself calls. */
export function functionsOf({ type, fields }: Node, { conversions }: Catalog): string[] {
  if (type === "COERCEVIAIO") {
    const [from = ""] = nodesIn(fields["arg"]).map(typeOf);
    return [conversions.get(from)?.output ?? "", conversions.get(String(fields["resulttype"]))?.input ?? ""];
  }
  return ["funcid", "opfuncid", "aggfnoid", "winfnoid"].flatMap((name) =>
    typeof fields[name] === "string" ? [fields[name]] : [],
  );
}

function typeOf({ fields }: Node): string {
  const names = [
    "vartype",
    "paramtype",
    "consttype",
    "funcresulttype",
    "opresulttype",
    "resulttype",
    "coalescetype",
    "casetype",
  ];
  return String(names.map((name) => fields[name]).find((type) => typeof type === "string"));
}

export function isImmutable(node: Node, catalog: Catalog): boolean {
  // Such as `current_timestamp`.
  if (node.type === "SQLVALUEFUNCTION") return false;
  return functionsOf(node, catalog).every((oid) => catalog.functions.get(oid)?.isImmutable ?? false);
}
