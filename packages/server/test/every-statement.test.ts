/**
 * Prepares every statement that the API tests sent to PostgreSQL on another database: PGlite, or the oldest PostgreSQL
 * that Oriel supports. So a statement that only a newer PostgreSQL understands is found without running all tests
 * there.
 *
 * Also checks that those of the service can run on Citus, and that the tables can be distributed, without a cluster.
 */
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closersFor } from "../../../scripts/test/closers-for.ts";
import { openDatabase, type Database, type DatabaseChoice } from "../src/platform/storage/database.ts";
import { migrate } from "../src/platform/storage/migrate.ts";
import { splitStatements } from "../src/platform/storage/split-statements.ts";
import { storedFunctions } from "../src/stored-functions.ts";
import { faultsOfFunction } from "./setup/distributed-functions.ts";
import { faultsOfSchema } from "./setup/distributed-schema.ts";
import { faultsOf } from "./setup/distributed-sql.ts";
import { startPostgres } from "./setup/postgres.ts";
import { readCatalog, type Catalog } from "./setup/query-catalog.ts";
import { readQueryTree } from "./setup/query-tree.ts";
import { readRecording, shapeOf } from "./setup/statement-recording.ts";
import { freshDatabase } from "./setup/test-service.ts";

/** A recording of some files, or of one of two workers, has fewer statements. */
const fewest = 1_250;
/** Tests send the others by themselves. */
const fewestOfService = 700;

const closers = closersFor(afterAll);
/** The database of the project. */
let database: Database;
/** The PostgreSQL of the recording, where the statements are known to work. */
let newest: Database;
beforeAll(async () => {
  database = await openMigrated(await freshDatabase(closers));
  const server = await startPostgres();
  closers.push(() => server.stop());
  newest = await openMigrated(await freshDatabase(closers, "template1", server.url));
});

async function openMigrated(choice: DatabaseChoice): Promise<Database> {
  const opened = await openDatabase(choice);
  closers.push(() => opened.close());
  await migrate(opened, storedFunctions);
  return opened;
}

/** @returns the statements that can't be prepared, with the database's errors */
async function refused({ pool }: Database, statements: readonly string[]): Promise<Map<string, string>> {
  const errors = new Map<string, string>();
  for (const text of statements) {
    try {
      await pool.query(`prepare checked as ${text}`);
      await pool.query("deallocate all");
    } catch (error) {
      errors.set(text, String(error));
    }
  }
  return errors;
}

it("every statement of the service can be prepared", async () => {
  const recorded = [...new Map(readRecording().map(({ text }) => [shapeOf(text), text])).values()];
  // Statements about a test's own tables can't be prepared there either.
  const ofTests = await refused(newest, recorded);
  const statements = recorded.filter((text) => !ofTests.has(text));
  expect(
    statements.length,
    "No complete recording of this source code was found. First run `npm test -- --only api`.",
  ).toBeGreaterThan(fewest);
  expect([...(await refused(database, statements))]).toEqual([]);
});

it("a statement that can't be prepared is detected", async () => {
  const unknown = "select no_such_column from charge where id = $1";
  expect([...(await refused(database, ["select id from charge where id = $1", unknown])).keys()]).toEqual([unknown]);
});

describe("on Citus", () => {
  let catalog: Catalog;
  beforeAll(async () => {
    catalog = await readCatalog(database);
  });

  it("every statement of the service can run", async () => {
    // This database has neither Citus nor the migrations of a vault with a database of its own.
    const isElsewhere = (text: string) =>
      /pg_dist_|\bcreate_(?:reference|distributed)_|vault"?\."?kysely_migration/.test(text);
    const statements = readRecording().filter(({ isOfService, text }) => isOfService && !isElsewhere(text));
    expect(statements.length).toBeGreaterThan(fewestOfService);
    expect(statements.some(({ text }) => text.includes("vault."))).toBe(true);
    const found: unknown[] = [];
    for (const { text, nulls } of statements) {
      const faults = faultsOf(await readQueryTree(database, text), nulls, catalog);
      if (faults.length > 0) found.push({ text, nulls, faults });
    }
    expect(found).toEqual([]);
  });

  /** The second parameter is null. */
  async function faultsIn(text: string): Promise<string[]> {
    return faultsOf(await readQueryTree(database, text), [2], catalog);
  }

  const unnamed = "locks or changes rows without naming the account in each query";
  const mixed = "combines rows of different accounts";
  const lazy = "calls a function that isn't immutable in case or coalesce";
  const withColumn = "passes a column to a function that isn't immutable";
  const orphan = "looks for each row's account in a distributed table, but the row isn't from one";
  const withNull = "compares with null in an outer join";

  it.each([
    ["insert into feed_counter (account_no, livemode, last) values ($1, true, (select 1))", "has a subquery in values"],
    [
      "insert into feed_counter (account_no, livemode, last) values ($1, true, 1), ($1, false, (select 1))",
      "has a subquery in values",
    ],
    ["with request as (select) select 1 from charge where account_no = $1", "selects no columns"],
    ["select exists (select from charge where account_no = $1)", "selects no columns"],
    [
      "with recursive a as (select id from event union all select id from a) select * from a",
      "recurses over all accounts",
    ],
    ["update charge set amount = $1 where id = $2", unnamed],
    ["update charge set amount = 1 where account_no = $1 or id = $2", unnamed],
    ["update charge set amount = 1 where account_no <> $1", unnamed],
    ["update charge set amount = 1 where account_no in ($1, 2)", unnamed],
    ["delete from charge where account_no = (select account_no from account where name = $1)", unnamed],
    ['select "id" from "charge" where "id" = $1 for no key update', unnamed],
    [
      "update decision set status = $1 where account_no = $2 and not exists (select 1 from charge where charge.account_no = decision.account_no)",
      unnamed,
    ],
    ["with charge as (update charge set amount = $1 where id = $2 returning id) select id from charge", unnamed],
    [
      "with found as (select id from charge where id = $1 for no key update), charge as (select id from found) select id from charge",
      unnamed,
    ],
    ["select 1 from charge join decision on decision.id = charge.decision_id where charge.account_no = $1", mixed],
    [
      "select 1 from charge join decision on decision.id = charge.decision_id where charge.account_no > 1 and decision.account_no > 1",
      mixed,
    ],
    [
      "select 1 from charge join decision on decision.account_no = $1 where charge.account_no = $1 or charge.id = decision.charge_id",
      mixed,
    ],
    ["select 1 from charge where account_no = $1 and exists (select 1 from decision where id = charge.decision_id)", mixed], // prettier-ignore
    ["select 1 from charge where account_no = $1 and decision_id in (select id from decision)", mixed],
    ["select (select count(*) from event where object_id = charge.id) from charge", mixed],
    ["with due as (select id from decision limit 10) select 1 from due join charge on charge.decision_id = due.id", mixed], // prettier-ignore
    ["select 1 from charge left join decision on charge.account_no = $1 and decision.account_no = $1", mixed],
    ["select 1 from account where exists (select 1 from charge where charge.account_no = account.account_no)", orphan],
    [
      "select 1 from unnest($1::bigint[]) no cross join lateral (select 1 from charge where account_no = no limit 1) a",
      orphan,
    ],
    [
      "with due as (select account_no as no from decision limit 1) select 1 from due where exists (select 1 from charge where account_no = due.no)",
      orphan,
    ],
    ["update email set tries = 0 where exists (select 1 from charge where charge.id = email.id)", orphan],
    [
      "select 1 from decision left join charge on charge.account_no = $1 and charge.id = $2 where decision.account_no = $1",
      withNull,
    ],
    [
      "select 1 from decision left join charge on charge.account_no = $1 and $2 = charge.id where decision.account_no = $1",
      withNull,
    ],
    [
      "select 1 from charge right join decision on charge.account_no = $1 and charge.id like lower($2) where decision.account_no = $1",
      withNull,
    ],
    ["update attempt set amount = case calls when 0 then 1 else 2 end where account_no = $1", "uses case with a value"],
    ["update api_key set last_used_at = coalesce(last_used_at, now()) where account_no = $1", lazy],
    ["update api_key set last_used_at = coalesce(last_used_at, current_timestamp) where account_no = $1", lazy],
    ["update charge set amount = 1 where account_no = $1 and case when created_at < now() then true end", lazy],
    [
      "with changed as (update charge set amount = case when now() > $2 then 1 end where account_no = $1) select 1",
      lazy,
    ],
    ["update account set name = coalesce(name, now()::text) where account_no = $1", lazy],
    ["update charge set decline_code = created_at::text where account_no = $1", withColumn],
    ["delete from charge where account_no = $1 and created_at + interval '1 month' < $2", withColumn],
    [
      "update charge set decline_code = gen_random_uuid()::text where account_no = $1",
      "calls a volatile function in update or delete",
    ],
    [
      "insert into feed_counter as f (account_no, livemode, last) values ($1, true, 1) on conflict (account_no, livemode) do update set last = 2 where now() > $2",
      "calls a function that isn't immutable in on conflict or returning",
    ],
    [
      "update charge set amount = 1 where account_no = $1 returning now()",
      "calls a function that isn't immutable in on conflict or returning",
    ],
  ])("a statement that can't run is detected: %s", async (text, fault) => {
    expect(await faultsIn(text)).toEqual([fault]);
  });

  it.each([
    "insert into feed_counter (account_no, livemode, last) select $1, true, 1 from decision where account_no = $1",
    "with a as (select 1 as one) insert into feed_counter (account_no, livemode, last) select $1, true, one from a on conflict (account_no, livemode) do update set last = 1",
    "insert into feed_queue (account_no, livemode, event_id) values ($1, true, coalesce($2, now()::text))",
    "update delivery set status = $1 from event where (delivery.account_no, delivery.livemode) = ($2, $3) and (event.account_no, event.livemode) = ($2, $3)",
    "select 1 from charge join decision on decision.account_no = charge.account_no where $1 = charge.account_no for share of charge",
    "select 1 from decision left join charge on charge.account_no = $1 and charge.id = coalesce($2, '') where decision.account_no = $1",
    "select 1 from decision left join charge on charge.account_no = decision.account_no",
    "select 1 from charge where exists (select 1 from decision where account_no = charge.account_no and id = charge.decision_id)",
    "with due as (select account_no from decision limit 10) select 1 from due join charge on charge.account_no = due.account_no",
    "select account_no from charge union all select account_no from decision",
    "select 1 from account left join charge on charge.account_no = account.account_no",
    "select case when created_at < now() then 1 else 2 end from charge where account_no = $1 for update",
    "update attempt set amount = case when calls = 0 then 1 else 2 end where account_no = $1",
    "update charge set created_at = now() where account_no = $1 and created_at < now() - interval '1 day'",
    "select account_no, id from decision where expires_at < $1 limit 10",
    "delete from charge where false",
    "update account set name = $1 where id = $2",
    "with charge as (update charge set amount = $1 where account_no = $2 returning id) select id from charge",
    "update email set tries = tries + 1 where id = $1",
  ])("a statement that can run is accepted: %s", async (text) => {
    expect(await faultsIn(text)).toEqual([]);
  });

  function ownedTables(): string[] {
    return [...catalog.owned.values()].map(({ name }) => name);
  }

  it("every function runs on the account's worker", async () => {
    const tables = ownedTables();
    const found = storedFunctions.map(({ storedName, definition }) => [
      storedName,
      faultsOfFunction(definition, tables),
    ]);
    expect(found.filter(([, faults]) => faults?.length !== 0)).toEqual([]);
  });

  it("no variable of a function has the name of a column", async () => {
    const { rows } = await sql<{ name: string }>`
      select distinct column_name as name from information_schema.columns where table_schema = 'public'`.execute(
      database.db,
    );
    const variables = storedFunctions.flatMap(({ definition: { declares = "" } }) =>
      declares.split(";").flatMap((one) => /\w+/.exec(one) ?? []),
    );
    expect(variables).toContain("decided");
    expect(variables.filter((variable) => rows.some(({ name }) => name === variable))).toEqual([]);
  });

  it.each([
    ["select id into found from charge where id = :id for no key update;", "doesn't name the account"],
    ["if :a then update charge set amount = 1 where id = :id; end if;", "doesn't name the account"],
    ["insert into charge (account_no, id) values (1, :id);", "doesn't name the account"],
    ["insert into charge (account_no, id) select :account_no, :id;", "has a query in a statement"],
    ["with a as (select 1 as b) select b into c from a;", "has a query in a statement"],
    [
      "if exists (select 1 from charge where account_no = :account_no) then return; end if;",
      "has a query in a statement",
    ],
    [
      "update charge set amount = (select 1) where account_no = :account_no and id = :id;",
      "has a query in a statement",
    ],
    ["select a into b from charge, decision where account_no = :account_no;", "joins tables"],
    ["select a into b from charge c join decision d on c.id = d.id where account_no = :account_no;", "joins tables"],
    ["for a in select id from email loop b := 1; end loop;", "uses a table that its worker doesn't have"],
    ["update account set name = :id where account_no = :account_no;", "uses a table that its worker doesn't have"],
  ])("a function that doesn't run there is detected: %s", async (steps, fault) => {
    expect(faultsOfFunction({ takes: { account_no: "bigint" }, steps }, ownedTables())).toEqual([fault]);
  });

  it("a function without the account as its first argument is detected", async () => {
    const fault = "doesn't take the account first";
    expect(faultsOfFunction({ takes: { id: "text" }, steps: "return;" }, ownedTables())).toEqual([fault]);
  });

  it("the tables can be distributed, with their keys, triggers and functions", async () => {
    expect(await faultsOfSchema(database.db)).toEqual([]);
  });

  const trigger = (quote: string, body: string) => `
    create function f() returns trigger language plpgsql as ${quote} begin ${body} return null; end ${quote};
    create trigger t after insert on charge for each row execute function f()`;

  it.each([
    ["alter table charge add constraint k unique (id)", "k is unique without the account"],
    ["create unlogged table note (account_no bigint, livemode boolean)", "note is unlogged"],
    [
      "create table note (a bigint, l boolean, c text); alter table note add constraint k foreign key (a, l, c) references charge",
      "k refers from the coordinator to a distributed table",
    ],
    [
      "create table note (account_no bigint, livemode boolean, number integer generated always as identity)",
      "number counts in less than a bigint",
    ],
    ["create table note (account_no bigint, livemode boolean, number serial)", "number counts in less than a bigint"],
    ["create function f(of charge) returns text language sql as 'select null'", "f takes a row"],
    [
      "create function f(n text, of public.charge default null) returns text language sql as 'select null'",
      "f takes a row",
    ],
    ["create function f(charge[]) returns text language sql as 'select null'", "f takes a row"],
    ["create function search_terms_of_charge(charge[], text, text) returns text language sql as 'select null'", "search_terms_of_charge takes a row"], // prettier-ignore
    [trigger("$$", "insert into event select 1;"), "f names a table without its schema in a trigger"],
    [trigger("$f$", "delete from public.event using charge c;"), "f names a table without its schema in a trigger"],
    [trigger("'", "perform 1 from public.event e, charge;"), "f names a table without its schema in a trigger"],
    [
      trigger("$f$", "insert into public.feed_counter select 1, true, 1 on conflict do nothing;"),
      "f has insert … select … on conflict in a trigger",
    ],
  ])("what can't be distributed is detected: %s", async (statements, fault) => {
    expect(await faultsAfter(statements)).toEqual([fault]);
  });

  it.each([
    "create table note (account_no bigint, livemode boolean, number bigint generated always as identity)",
    "create table note (account_no bigint references account, livemode boolean, a bigint, c text, foreign key (account_no, livemode, c) references charge)",
    "create function f(jsonb, text[]) returns charge language sql as 'select null::public.charge'",
    trigger("$f$", "insert into public.event (id) values (new.id) -- into event\n on conflict do nothing;"),
  ])("what can be distributed is accepted: %s", async (statements) => {
    expect(await faultsAfter(statements)).toEqual([]);
  });

  async function faultsAfter(statements: string): Promise<string[]> {
    const tx = await database.db.startTransaction().execute();
    try {
      for (const statement of splitStatements(statements)) await sql.raw(statement).execute(tx);
      return await faultsOfSchema(tx);
    } finally {
      await tx.rollback().execute();
    }
  }
});
