/**
 * Rules for statements on tables that Citus distributes by account. PostgreSQL and PGlite accept everything that these
 * refuse, so without them, only a cluster would show the fault. The comments quote Citus 13.2.
 */
import { functionsOf, isImmutable, type Catalog } from "./query-catalog.ts";
import { innerNodes, isNode, nodesIn, textOf, withInner, type Node } from "./query-tree.ts";
import {
  areConnected,
  isSubquery,
  linksOf,
  namesAccounts,
  outerQuery,
  queriesIn,
  type Link,
  type Query,
} from "./statement-queries.ts";

interface Statement {
  queries: readonly Query[];
  links: readonly Link[];
  /** Whether it locks or changes rows of an owned table. */
  isChange: boolean;
  /** The numbers of the parameters that were null. */
  nulls: readonly number[];
  catalog: Catalog;
}

interface Rule {
  fault: string;
  breaks(statement: Statement): boolean;
}

const rules: Rule[] = [
  // "subqueries are not supported within INSERT queries". Applies to tables that aren't distributed, too.
  {
    fault: "has a subquery in values",
    breaks: ({ queries }) =>
      queries.some(
        ({ node, command, from }) =>
          command === "insert" &&
          !from.some(isSubquery) &&
          [...nodesIn(node.fields["targetList"]), ...from].flatMap(withInner).some(({ type }) => type === "SUBLINK"),
      ),
  },
  // "function in FROM has unsupported return type". It passes the rows of a part to the workers.
  {
    fault: "selects no columns",
    breaks: ({ queries }) =>
      queries.some(({ node, command }) => command === "select" && node.fields["targetList"] === null),
  },
  // "recursive CTEs are only supported when they contain a filter on the distribution column"
  {
    fault: "recurses over all accounts",
    breaks: ({ queries, links }) =>
      queries.some((query) => query.node.fields["hasRecursive"] === "true") &&
      !queries.every((query) => namesAccounts(query, links)),
  },
  // "could not run distributed query with FOR UPDATE/SHARE commands". Without a lock, it changes the rows of all
  // workers in a two-phase commit. The account in one query doesn't count for another one, such as a correlated `exists`.
  {
    fault: "locks or changes rows without naming the account in each query",
    breaks: ({ queries, links, isChange }) => isChange && !queries.every((query) => namesAccounts(query, links)),
  },
  // "complex joins are only supported when all distributed tables are co-located and joined on their distribution
  // columns", and "the query contains a join that requires repartitioning"
  {
    fault: "combines rows of different accounts",
    breaks: ({ queries, links }) => {
      const [first, ...others] = queries.flatMap(({ accounts }) => accounts);
      return first !== undefined && !others.every((other) => areConnected(first, other, links));
    },
  },
  // "correlated subqueries are not supported when the FROM clause contains a reference table" (a CTE, a function, …), "cannot
  // push down this subquery", and "direct joins between distributed and local tables are not supported"
  {
    fault: "looks for each row's account in a distributed table, but the row isn't from one",
    breaks: ({ queries, links }) =>
      queries.some(
        (query) => !namesAccounts(query, links) && correlatedWith(query).some(({ accounts }) => accounts.length === 0),
      ),
  },
  // "complex joins are only supported …". If the value is null, PostgreSQL removes the condition with the account.
  {
    fault: "compares with null in an outer join",
    breaks: ({ queries, nulls, catalog }) =>
      queries
        .flatMap((query) => query.conditions.filter(({ restricts }) => restricts !== undefined))
        .some(({ expression }) => isNullWith(expression, nulls, catalog)),
  },
  // "operator does not exist: integer = boolean". It sends the cases to the worker as conditions.
  {
    fault: "uses case with a value",
    breaks: ({ queries, isChange }) =>
      isChange &&
      queries
        .flatMap(({ node }) => innerNodes(node))
        .some(({ type, fields }) => type === "CASEEXPR" && isNode(fields["arg"])),
  },
  // "non-IMMUTABLE functions are not allowed in CASE or COALESCE statements"
  {
    fault: "calls a function that isn't immutable in case or coalesce",
    breaks: (statement) =>
      changedExpressions(statement)
        .filter(({ type }) => type === "CASEEXPR" || type === "COALESCEEXPR")
        .some((node) => withInner(node).some((inner) => !isImmutable(inner, statement.catalog))),
  },
  // "STABLE functions used in UPDATE queries cannot be called with column references"
  {
    fault: "passes a column to a function that isn't immutable",
    breaks: (statement) =>
      changedExpressions(statement).some(
        (node) => !isImmutable(node, statement.catalog) && innerNodes(node).some(({ type }) => type === "VAR"),
      ),
  },
  // "functions used in UPDATE queries on distributed tables must not be VOLATILE"
  {
    fault: "calls a volatile function in update or delete",
    breaks: (statement) =>
      changedExpressions(statement).some((node) =>
        functionsOf(node, statement.catalog).some((oid) => statement.catalog.functions.get(oid)?.isVolatile ?? true),
      ),
  },
  // "functions used in the DO UPDATE SET clause of INSERTs on distributed tables must be marked IMMUTABLE", and the same for
  // `returning`
  {
    fault: "calls a function that isn't immutable in on conflict or returning",
    breaks: ({ queries, catalog }) =>
      queries
        .filter((query) => isChangeOf(query, catalog))
        .flatMap(({ node }) => [...nodesIn(node.fields["onConflict"]), ...nodesIn(node.fields["returningList"])])
        .some((node) => withInner(node).some((inner) => !isImmutable(inner, catalog))),
  },
];

/**
 * @param tree from `readQueryTree`
 * @param nulls the numbers of the parameters that were null
 * @returns what keeps the statement from running on distributed tables, or is too slow there
 */
export function faultsOf(tree: Node, nulls: readonly number[], catalog: Catalog): string[] {
  const queries = queriesIn(tree, catalog);
  const statement: Statement = {
    queries,
    links: queries.flatMap((query) => linksOf(query, queries, catalog)),
    isChange: queries.some(
      (query) => locksRows(query, catalog) || (isChangeOf(query, catalog) && !changesAccount(query, catalog)),
    ),
    nulls,
    catalog,
  };
  return rules.flatMap(({ fault, breaks }) => (breaks(statement) ? [fault] : []));
}

/** The queries around it to whose columns it refers. */
function correlatedWith(query: Query): Query[] {
  return innerNodes(query.node).flatMap((node) => {
    const levels = Number(node.fields["varlevelsup"] ?? 0);
    const owner = levels > 0 ? outerQuery(query, levels) : undefined;
    return owner ? [owner] : [];
  });
}

function isChangeOf({ node, from, command }: Query, { owned, account }: Catalog): boolean {
  const changed = String(from[Number(textOf(node, "resultRelation")) - 1]?.fields["relid"]);
  return command !== "select" && (owned.has(changed) || changed === account);
}

function changesAccount({ node, from }: Query, { account }: Catalog): boolean {
  return from[Number(textOf(node, "resultRelation")) - 1]?.fields["relid"] === account;
}

function locksRows({ node, from }: Query, { owned }: Catalog): boolean {
  return nodesIn(node.fields["rowMarks"]).some((mark) =>
    owned.has(String(from[Number(textOf(mark, "rti")) - 1]?.fields["relid"])),
  );
}

/** Everything in updates and deletes, which Citus evaluates before it sends them to the workers. */
function changedExpressions({ queries, catalog }: Statement): Node[] {
  return queries
    .filter((query) => isChangeOf(query, catalog) && query.command !== "insert")
    .flatMap(({ node }) => [...nodesIn(node.fields["targetList"]), ...nodesIn(node.fields["jointree"])])
    .flatMap(withInner);
}

/** Whether the expression is null if these parameters are. */
function isNullWith(node: Node, nulls: readonly number[], catalog: Catalog): boolean {
  if (node.type === "PARAM") return nulls.includes(Number(textOf(node, "paramid")));
  const isStrict =
    node.type === "RELABELTYPE" ||
    (["OPEXPR", "FUNCEXPR", "COERCEVIAIO"].includes(node.type) &&
      functionsOf(node, catalog).every((oid) => catalog.functions.get(oid)?.isStrict ?? false));
  return (
    isStrict &&
    [node.fields["args"], node.fields["arg"]].flatMap(nodesIn).some((arg) => isNullWith(arg, nulls, catalog))
  );
}
