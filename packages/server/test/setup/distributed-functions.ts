/**
 * Rules for the statements of stored functions (`stored-function.ts`). In a Citus cluster, such a function runs on the worker
 * that has the account's rows. Citus refuses it there if it needs another worker, and takes several times as long for
 * anything but a plain statement. PostgreSQL doesn't plan the statements before it runs them, so these rules look at the
 * text.
 */
import type { Definition } from "../../src/platform/storage/stored-function.ts";

/** What PL/pgSQL can have before a statement. */
const beforeStatement =
  /^ ?(?:(?:els)?if (?:(?!\b(?:select|insert|update|delete|with)\b).)*? then\b|else\b|return query\b|for \w+ in\b|end if\b|end loop\b)/;

/** @returns what keeps the function from running on a worker, or is too slow there */
export function faultsOfFunction(
  { takes, steps }: Pick<Definition, "takes" | "steps">,
  ownedTables: readonly string[],
): string[] {
  const faults = Object.keys(takes)[0] === "account_no" ? [] : ["doesn't take the account first"];
  for (let statement of plain(steps).split(/;|\bloop\b/)) {
    while (beforeStatement.test(statement)) statement = statement.replace(beforeStatement, "");
    faults.push(...faultsOfStep(statement.trim(), ownedTables));
  }
  return faults;
}

function faultsOfStep(statement: string, ownedTables: readonly string[]): string[] {
  const [verb = "", ...more] = [
    ...statement.matchAll(/\b(?:select|insert into|update(?= \w+ set)|delete from|with)\b/g),
  ].map(([found]) => found);
  if (verb === "") return [];
  const inner = more.filter((found) => found !== "update" || !/\bdo update set\b/.test(statement));
  if (!statement.startsWith(verb) || verb === "with" || inner.length > 0) return ["has a query in a statement"];
  const from = /\b(?:from|join|^insert into|^update) [^;]*/.exec(statement)?.[0] ?? "";
  if (from === "") return []; // reads no table
  const [, table = ""] = /^(?:from|insert into|update) (\w+)/.exec(from) ?? [];
  const isReadable = ownedTables.includes(table) || (table === "account" && verb === "select");
  if (!isReadable) return ["uses a table that its worker doesn't have"];
  if (/\bjoin\b/.test(from) || /^from \w+(?: \w+)?,/.test(from)) return ["joins tables"];
  const isNamed =
    verb === "insert into"
      ? /^insert into \w+ \(account_no, [^)]*\) values \(:account_no, /.test(statement)
      : / where account_no = :account_no\b/.test(statement);
  return isNamed ? [] : ["doesn't name the account"];
}

function plain(sql: string): string {
  return sql
    .replaceAll(/--.*$/gm, "")
    .replaceAll(/'(?:[^']|'')*'/g, "''")
    .replaceAll('"', "")
    .replaceAll(/\s+/g, " ")
    .toLowerCase()
    .trim();
}
