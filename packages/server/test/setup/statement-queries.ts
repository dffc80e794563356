/** The queries in a statement, and which of their columns are equal. */
import type { Catalog } from "./query-catalog.ts";
import { innerNodes, isNode, nodesIn, textOf, withInner, type Node, type Value } from "./query-tree.ts";

/** One of the queries in a statement. */
export interface Query {
  node: Node;
  command: "select" | "update" | "insert" | "delete" | "other";
  number: number;
  outer: Query | undefined;
  /** The tables, joins and queries in `from`, and the table that it changes. Their numbers begin with 1. */
  from: readonly Node[];
  conditions: readonly Condition[];
  /** The accounts of the owned tables that it reads, locks, updates or deletes from. An inserted row always has its account. */
  accounts: readonly Column[];
}

/** A condition that holds for each row, such as one of those that `and` combines in `where`. */
export interface Condition {
  expression: Node;
  /** In an outer join, the tables whose rows are left out if the condition doesn't hold. */
  restricts: ReadonlySet<string> | undefined;
}

/** The number of a query, of something in its `from`, and of its column. */
type Column = `${number}.${string}.${string}`;

/** Two columns that are equal, or a column and a value. In an outer join, this may hold in one direction only. */
export interface Link {
  from: Column | "value";
  to: Column;
  /** Absent for the columns that a query passes to the one around it. */
  comparedIn?: Query;
}

const tableKind = "0";
const subqueryKind = "1";
const joinKind = "2";
const cteKind = "6";
const groupKind = "9";
const leftJoin = "1";
const fullJoin = "2";
const rightJoin = "3";
const commands: Record<string, Query["command"]> = { 1: "select", 2: "update", 3: "insert", 4: "delete" };

export function queriesIn(tree: Node, catalog: Catalog): Query[] {
  const queries: Query[] = [];
  add(tree, undefined);
  return queries;

  function add(node: Node, outer: Query | undefined): void {
    const from = nodesIn(node.fields["rtable"]);
    const number = queries.length;
    const command = commands[textOf(node, "commandType")] ?? "other";
    const inserted = command === "insert" ? [textOf(node, "resultRelation"), excludedIn(node)] : [];
    const query: Query = {
      node,
      command,
      number,
      outer,
      from,
      conditions: nodesIn(node.fields["jointree"]).flatMap((tables) => conditionsOf(tables, undefined)),
      accounts: from.flatMap(({ fields }, index) => {
        const owned = fields["rtekind"] === tableKind ? catalog.owned.get(String(fields["relid"])) : undefined;
        const table = String(index + 1);
        return owned && !inserted.includes(table) ? [`${number}.${table}.${owned.accountColumn}` as const] : [];
      }),
    };
    queries.push(query);
    for (const inner of innerNodes(node)) if (inner.type === "QUERY") add(inner, query);
  }
}

/** In `on conflict`, the row that wasn't inserted is a table, too. */
function excludedIn({ fields }: Node): string {
  return nodesIn(fields["onConflict"]).map((node) => textOf(node, "exclRelIndex"))[0] ?? "";
}

/** @param node something in `from`, or all of it */
function conditionsOf(node: Node, restricts: Condition["restricts"]): Condition[] {
  const { fields } = node;
  const own = (within: Condition["restricts"]) =>
    nodesIn(fields["quals"])
      .flatMap(conjuncts)
      .map((expression) => ({ expression, restricts: within }));
  if (node.type === "FROMEXPR")
    return [...own(restricts), ...nodesIn(fields["fromlist"]).flatMap((item) => conditionsOf(item, restricts))];
  if (node.type !== "JOINEXPR") return [];
  const [left, right] = [nodesIn(fields["larg"]), nodesIn(fields["rarg"])];
  const optionals: Partial<Record<string, Node[]>> = { [leftJoin]: right, [fullJoin]: [], [rightJoin]: left };
  const optional = optionals[textOf(node, "jointype")];
  const within = optional ? new Set(optional.flatMap(withInner).map((inner) => textOf(inner, "rtindex"))) : restricts;
  return [...own(within), ...[...left, ...right].flatMap((item) => conditionsOf(item, restricts))];
}

function conjuncts(expression: Node): Node[] {
  return expression.type === "BOOLEXPR" && expression.fields["boolop"] === "and"
    ? nodesIn(expression.fields["args"]).flatMap(conjuncts)
    : [expression];
}

export function linksOf(query: Query, queries: readonly Query[], { equals }: Catalog): Link[] {
  const compared = query.conditions.flatMap(({ expression, restricts }) => {
    if (isFalse(expression)) return query.accounts.map((to) => ({ from: "value" as const, to, comparedIn: query }));
    if (expression.type !== "OPEXPR" || !equals.has(textOf(expression, "opno"))) return [];
    const [left, right] = nodesIn(expression.fields["args"]).map((side) => columnOf(query, side));
    return [
      { from: left, to: right },
      { from: right, to: left },
    ].flatMap(({ from, to }) =>
      from === undefined || to === undefined || to === "value" || restricts?.has(to.split(".")[1] ?? "") === false
        ? []
        : [{ from, to, comparedIn: query }],
    );
  });
  const passed = query.from.flatMap((item, index) => {
    const inner = queryOf(item, query, queries);
    if (inner === undefined) return [];
    return outputsOf(inner, queries).flatMap(({ from, column }) => {
      const to = `${query.number}.${index + 1}.${column}` as const;
      const isInUnion = isNode(query.node.fields["setOperations"]) && index > 0;
      return [{ from, to }, ...(isInUnion ? [{ from: to, to: `${query.number}.1.${column}` as const }] : [])];
    });
  });
  return [...compared, ...passed];
}

function isFalse({ type, fields }: Node): boolean {
  const value = fields["constvalue"];
  // 16 is boolean, and the value is its length and its bytes.
  return (
    type === "CONST" && fields["consttype"] === "16" && Array.isArray(value) && String(value[1]).startsWith("[ 0 ")
  );
}

/** The column that an expression has the value of, or "value" if it depends on no column. */
function columnOf(query: Query, expression: Node): Column | "value" | undefined {
  if (expression.type === "RELABELTYPE") return nodesIn(expression.fields["arg"]).map((arg) => columnOf(query, arg))[0];
  if (expression.type !== "VAR")
    return withInner(expression).every(({ type }) => !["VAR", "SUBLINK", "QUERY"].includes(type)) ? "value" : undefined;
  const owner = outerQuery(query, Number(textOf(expression, "varlevelsup")));
  const [table, column] = [textOf(expression, "varno"), textOf(expression, "varattno")];
  const item = owner?.from[Number(table) - 1];
  if (owner === undefined || item === undefined) return undefined;
  const kind = textOf(item, "rtekind");
  const columns = kind === joinKind ? "joinaliasvars" : kind === groupKind ? "groupexprs" : undefined;
  if (columns === undefined) return `${owner.number}.${table}.${column}`;
  const source = nodesIn(item.fields[columns])[Number(column) - 1];
  return source && columnOf(owner, source);
}

/** The query itself for level 0, the one around it for level 1, and so on. */
export function outerQuery(query: Query | undefined, level: number): Query | undefined {
  return level === 0 ? query : outerQuery(query?.outer, level - 1);
}

export function isSubquery(item: Node): boolean {
  return item.fields["rtekind"] === subqueryKind;
}

/** The query that an item of `from` is, or whose name it is. */
function queryOf(item: Node, query: Query, queries: readonly Query[]): Query | undefined {
  const kind = item.fields["rtekind"];
  const byNode = (node: Value | undefined) => queries.find((one) => one.node === node);
  if (kind === subqueryKind) return byNode(item.fields["subquery"]);
  if (kind !== cteKind) return undefined;
  const owner = outerQuery(query, Number(textOf(item, "ctelevelsup")));
  const named = nodesIn(owner?.node.fields["cteList"]).find(
    (cte) => textOf(cte, "ctename") === textOf(item, "ctename"),
  );
  return byNode(named?.fields["ctequery"]);
}

/** The columns that a query returns, and where each comes from. */
function outputsOf(query: Query, queries: readonly Query[]): { column: string; from: Column | "value" }[] {
  const { node } = query;
  if (isNode(node.fields["setOperations"]))
    return query.from.flatMap((item, index) => {
      const arm = queryOf(item, query, queries);
      const columns = arm === undefined ? [] : nodesIn(arm.node.fields["targetList"]);
      return columns.map((_, column) => ({
        column: String(column + 1),
        from: `${query.number}.${index + 1}.${column + 1}` as const,
      }));
    });
  return nodesIn(node.fields[query.command === "select" ? "targetList" : "returningList"]).flatMap(({ fields }) => {
    const from = nodesIn(fields["expr"]).map((expression) => columnOf(query, expression))[0];
    return from === undefined ? [] : [{ column: String(fields["resno"]), from }];
  });
}

/** Whether the query itself compares the account of each of its tables with a value. */
export function namesAccounts(query: Query, links: readonly Link[]): boolean {
  const own = links.filter((link) => link.comparedIn === query);
  return query.accounts.every((account) => reachedFrom("value", own).has(account));
}

export function areConnected(one: Column, other: Column, links: readonly Link[]): boolean {
  const both = links.flatMap((link) => [link, { ...link, from: link.to, to: link.from }]);
  return reachedFrom(one, both).has(other);
}

function reachedFrom(start: string, links: readonly { from: string; to: string }[]): ReadonlySet<string> {
  const reached = new Set([start]);
  for (const column of reached) for (const { from, to } of links) if (from === column) reached.add(to);
  return reached;
}
