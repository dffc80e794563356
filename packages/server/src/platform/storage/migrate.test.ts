import { describe, expect, it } from "vitest";
import { vaultMigrations } from "@oriel/vault";
import { serviceMigrations } from "./migrate.ts";

/**
 * Statements that break processes of the earlier version, which run while and after the tables are changed. Remove
 * a column in two releases: the first no longer uses it, and a later one drops it and is listed here as an exception.
 */
const breaking: [name: string, pattern: RegExp][] = [
  ["drops a table or a column", /\bdrop\s+(?:table|column|schema|view|type|sequence)\b/],
  ["renames something", /\brename\b/],
  ["makes a column mandatory", /\bset\s+not\s+null\b/],
  ["removes a default", /\bdrop\s+default\b/],
  ["changes a column's type", /\balter\s+column\s+\w+\s+(?:set\s+data\s+)?type\b/],
  [
    "adds a mandatory column without a default",
    /\badd\s+column\s+(?:if\s+not\s+exists\s+)?[^,;]*\bnot\s+null\b(?![^,;]*\bdefault\b)/,
  ],
];

/**
 * No release has the tables before these migrations, so no process of one can run meanwhile. Installations from the
 * repository have to stop all processes before the last two, which rename columns (`docs/deploy.md`).
 */
const beforeFirstRelease = ["0003_credentials_of_acquirer_accounts", "0015_plain_column_names", "0016_card_erase_at"];

/**
 * Statements that Citus refuses for distributed tables. Older migrations are exempt: they run before the tables are
 * distributed. `every-statement.test.ts` checks what all migrations together create.
 */
const notOnCitus: [name: string, pattern: RegExp][] = [
  // "cannot execute ADD CONSTRAINT command with other subcommands"
  ["changes a table in several steps", /\balter\s+table\s+[^;(]*(?:\([^;]*?\)[^;(]*)*,/],
  // "cannot execute ADD COLUMN command with PRIMARY KEY, UNIQUE, FOREIGN and CHECK constraints"
  ["adds a column with a constraint", /\badd\s+column\b[^,;]*\b(?:check|references|unique|primary\s+key)\b/],
  // "cannot create foreign key constraint since foreign keys from … local tables to distributed tables are not supported".
  // The new table is distributed after its migration, and the next one can add the foreign key.
  ["refers to an owned table from a new table", /\bcreate\s+table\b[^;]*\breferences\s+(?!account\b)/],
  // "cannot execute ADD COLUMN commands involving identity columns when metadata is synchronized to workers"
  ["adds a column with a counter", /\badd\s+column\b[^,;]*\b(?:identity|(?:small|big)?serial)\b/],
];

function faultsOf(statements: string, patterns = breaking): string[] {
  const text = statements.replaceAll(/--.*$/gm, "").toLowerCase();
  // The default can also come before `not null`.
  return patterns
    .filter(([, pattern]) =>
      [...text.matchAll(new RegExp(pattern, "g"))].some(([found]) => !/\bdefault\b/.test(found) || /drop/.test(found)),
    )
    .map(([name]) => name);
}

describe("migrations", () => {
  const later = Object.entries({ ...serviceMigrations, ...vaultMigrations }).filter(
    ([name]) => !name.startsWith("0001_") && !beforeFirstRelease.includes(name),
  );

  it.each(later)("don't break processes of the earlier version: %s", (_, statements) => {
    expect(faultsOf(statements)).toEqual([]);
  });

  it.each([
    ["alter table charge drop column note", "drops a table or a column"],
    ["alter table charge rename column note to notes", "renames something"],
    ["alter table charge alter column note set not null", "makes a column mandatory"],
    ["alter table charge alter column note drop default", "removes a default"],
    ["alter table charge alter column note type bytea", "changes a column's type"],
    ["alter table charge add column note text not null", "adds a mandatory column without a default"],
    ["alter table charge add column a text, add column b text not null, add column c text not null default ''", "adds a mandatory column without a default"], // prettier-ignore
  ])("would be refused for %j", (statement, fault) => {
    expect(faultsOf(statement)).toEqual([fault]);
  });

  it.each([
    "alter table charge add column note text",
    "alter table charge add column note text not null default ''",
    "alter table charge add column note text default '' not null",
    "create table note (id text not null)",
    "drop function ledger_amount_of(attempt, charge)",
  ])("may contain %j", (statement) => {
    expect(faultsOf(statement)).toEqual([]);
  });

  const afterDistribution = Object.entries(serviceMigrations).filter(([name]) => name >= "0017");

  it.each(afterDistribution)("run on the distributed tables of a Citus cluster: %s", (_, statements) => {
    expect(faultsOf(statements, notOnCitus)).toEqual([]);
  });

  it.each([
    ["alter table charge add column a text, add constraint b check (a <> '')", "changes a table in several steps"],
    ["alter table charge drop constraint a, add constraint a check (b in (1, 2))", "changes a table in several steps"],
    ["alter table charge add column a text check (a <> '')", "adds a column with a constraint"],
    [
      "create table note (account_no bigint, foreign key (account_no) references charge)",
      "refers to an owned table from a new table",
    ],
    ["alter table charge add column a bigint generated always as identity", "adds a column with a counter"],
    ["alter table charge add column a bigserial", "adds a column with a counter"],
  ])("wouldn't run on Citus: %j", (statement, fault) => {
    expect(faultsOf(statement, notOnCitus)).toEqual([fault]);
  });

  it.each([
    "alter table charge add column a numeric(3, 2)",
    "alter table charge add column a text; alter table charge add constraint b check (a in ('x', 'y'))",
    "create table note (account_no bigint not null references account, livemode boolean not null)",
  ])("runs on Citus: %j", (statement) => {
    expect(faultsOf(statement, notOnCitus)).toEqual([]);
  });
});
