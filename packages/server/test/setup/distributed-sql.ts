/**
 * Rules for statements on tables that Citus distributes by account. PostgreSQL and PGlite accept everything that these
 * refuse, so without them, only a cluster would show the fault. They look at the text, because the tests send it anyway.
 */

import type { Recorded } from "./statement-recording.ts";

interface Rule {
  fault: string;
  breaks(statement: Statement): boolean;
}

/** One of the queries in a statement. A query inside it is replaced by a mark such as `‹2›`, and other parentheses by `[ ]`. */
interface Query {
  text: string;
  /** The owned tables that it reads, locks, updates or deletes from. An inserted row always has its account. */
  tables: { name: string; alias: string }[];
}

interface Statement {
  text: string;
  queries: Query[];
  /** Whether it locks or changes rows of an owned table. */
  isChange: boolean;
  /** The numbers of the parameters that were null. */
  nulls: readonly number[];
}

const rules: Rule[] = [
  // Citus: "subqueries are not supported within INSERT queries". Applies to tables that aren't distributed, too.
  {
    fault: "has a subquery in values",
    breaks: ({ queries }) =>
      queries.some(({ text }) => /\bvalues \[[^‹]*‹/.test(text.split(/\b(?:on conflict|returning)\b/)[0] ?? "")),
  },
  // Citus: "function in FROM has unsupported return type". It passes the rows of a part to the workers.
  {
    fault: "selects no columns",
    breaks: ({ queries }) => queries.some(({ text }) => /\bselect(?= from\b| where\b|$)/.test(text)),
  },
  // Citus: "recursive CTEs are only supported when they contain a filter on the distribution column".
  {
    fault: "recurses over all accounts",
    breaks: ({ text, queries }) =>
      /^with recursive\b/.test(text) && queries.some((query) => !query.tables.every((table) => isNamed(query, table))),
  },
  // Citus: "could not run distributed query with FOR UPDATE/SHARE commands". Without a lock, it changes the rows of all
  // workers in a two-phase commit. The account in one query doesn't count for another one, such as a correlated `exists`.
  {
    fault: "locks or changes rows without naming the account in each query",
    breaks: ({ queries, isChange }) =>
      isChange && queries.some((query) => !query.tables.every((table) => isNamed(query, table))),
  },
  // Citus: "complex joins are only supported when all distributed tables are co-located and joined on their distribution
  // columns".
  {
    fault: "joins other accounts' rows",
    breaks: ({ queries }) =>
      queries.some((query) => query.tables.length > 1 && query.tables.some(({ alias }) => !mentions(query, alias))),
  },
  // Citus: "complex joins are only supported …". If the value is null, PostgreSQL removes the condition with the account.
  {
    fault: "compares with null in an outer join",
    breaks: ({ queries, nulls }) =>
      queries
        .flatMap(({ text }) => [...text.matchAll(outerJoin)].flatMap(([, on = ""]) => [...on.matchAll(/= \$(\d+)/g)]))
        .some(([, parameter]) => nulls.includes(Number(parameter))),
  },
  // Citus: "operator does not exist: integer = boolean". It sends the cases to the worker as conditions.
  {
    fault: "uses case with a value",
    breaks: ({ text, isChange }) => isChange && /\bcase (?!when\b)/.test(text),
  },
  // Citus: "non-IMMUTABLE functions are not allowed in CASE or COALESCE statements".
  {
    fault: "calls a function of the time or of chance in case or coalesce",
    breaks: ({ text, isChange }) =>
      isChange && /\b(?:case|coalesce)\b(?:(?!\bend\b).)*\b(?:now|clock_timestamp|random|gen_random_uuid)\(/.test(text),
  },
];

const locks = /\bfor (?:no key update|update|key share|share)\b/;

const outerJoin =
  /\b(?:left|right|full) join\b(.*?)(?=\b(?:left|right|full|inner|cross|join|where|order|group|limit)\b|$)/g;

/** @returns what keeps the statement from running on distributed tables, or is too slow there */
export function faultsOf({ text, nulls }: Pick<Recorded, "text" | "nulls">, ownedTables: readonly string[]): string[] {
  const statement = { ...parse(text, ownedTables), nulls };
  return rules.flatMap(({ fault, breaks }) => (breaks(statement) ? [fault] : []));
}

function parse(sql: string, ownedTables: readonly string[]): Omit<Statement, "nulls"> {
  const text = sql
    .replaceAll(/--.*$/gm, "")
    .replaceAll(/'(?:[^']|'')*'/g, "''")
    .replaceAll('"', "")
    .replaceAll(/\s+/g, " ")
    .toLowerCase()
    .trim();
  const names = new Set([...text.matchAll(/\b([a-z_]+) as (?:(?:not )?materialized )?\(/g)].map(([, name]) => name));
  const queries: Query[] = [];
  let rest = text;
  for (let inner; (inner = /\(([^()]*)\)/.exec(rest)) !== null;) {
    const content = (inner[1] ?? "").trim();
    const isQuery = /^(?:select|insert|update|delete|with|values)\b|^‹/.test(content);
    if (isQuery) queries.push(...toQueries(content));
    const mark = isQuery ? `‹${queries.length}›` : `[${content}]`;
    rest = rest.slice(0, inner.index) + mark + rest.slice(inner.index + inner[0].length);
  }
  queries.push(...toQueries(rest.trim()));
  const isChange = queries.some(
    ({ text: query, tables }) =>
      ownedTables.includes(/^insert into (\w+)/.exec(query)?.[1] ?? "") ||
      (tables.length > 0 && (/^(?:update|delete)\b/.test(query) || locks.test(query))),
  );
  return { text, queries, isChange };

  function toQueries(content: string): Query[] {
    const parts = /^with (?:recursive )?(?:\w+(?: \[[^\]]*\])? as (?:(?:not )?materialized )?‹\d+›,? ?)+/;
    return content
      .replace(parts, "")
      .split(/ (?:union|intersect|except)(?: all)? /)
      .map((query) => {
        // A query of the statement may have a table's name, but can't be locked or changed.
        const target = /^(?:update|delete from) (?:only )?(?:public\.)?(\w+)/.exec(query)?.[1];
        const isTable = (name: string) => !names.has(name) || name === target || locks.test(query);
        const tables = tablesOf(query.replace(/^insert into \w+/, ""));
        return { text: query, tables: tables.filter(({ name }) => ownedTables.includes(name) && isTable(name)) };
      });
  }
}

const clause =
  /\b(?:from|join|using|(?<!\b(?:for|key|do) )update) (.*?)(?=\b(?:from|join|using|where|on|set|left|right|inner|cross|full|order|group|having|limit|offset|returning|values|select|for|union)\b|[‹›[\]]|$)/g;

function tablesOf(query: string): Query["tables"] {
  return [...query.matchAll(clause)].flatMap(([, list = ""]) =>
    list.split(",").flatMap((item) => {
      const [, name, alias = name] = /^ ?(?:only )?(?:public\.)?([a-z_]+)(?: (?:as )?([a-z_]+))? ?$/.exec(item) ?? [];
      return name === undefined || alias === undefined ? [] : [{ name, alias }];
    }),
  );
}

/** Whether the query compares the table's account with a value, or with the account of a table for which it does. */
function isNamed(query: Query, { alias }: { alias: string }, seen: readonly string[] = []): boolean {
  const { text, tables } = query;
  if (/\bwhere \[*false\b/.test(text)) return true;
  const own = tables.length === 1 ? `(?:${alias}\\.|(?<![.\\w]))` : `${alias}\\.`;
  const rest = "(?:(?:, [\\w.]+)*\\])?";
  if (new RegExp(`(?:\\[|\\b)${own}account_no${rest} (?:=|in) [\\[]*(?:any\\[)?[$\\d]`).test(text)) return true;
  const others = [
    ...text.matchAll(new RegExp(`\\b${alias}\\.account_no${rest} = \\[?(\\w+)\\.account_no`, "g")),
    ...text.matchAll(new RegExp(`\\b(\\w+)\\.account_no${rest} = \\[?${alias}\\.account_no`, "g")),
  ].flatMap(([, other]) => tables.filter((table) => table.alias === other && !seen.includes(table.alias)));
  return others.some((other) => isNamed(query, other, [...seen, alias]));
}

function mentions({ text }: Query, alias: string): boolean {
  return new RegExp(`\\b${alias}\\.account_no\\b`).test(text);
}
