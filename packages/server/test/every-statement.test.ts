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
import { faultsOf } from "./setup/distributed-sql.ts";
import { startPostgres } from "./setup/postgres.ts";
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
  await migrate(opened);
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

/** The tables of which Citus has the rows of different accounts on different workers. */
async function ownedTables(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and column_name in ('account_no', 'livemode')
    group by table_name having count(*) = 2`.execute(database.db);
  return rows.map(({ name }) => name);
}

describe("on Citus", () => {
  it("every statement of the service can run", async () => {
    const tables = await ownedTables();
    const statements = readRecording().filter(({ isOfService }) => isOfService);
    expect(statements.length).toBeGreaterThan(fewestOfService);
    const faults = statements.map((statement) => ({ ...statement, faults: faultsOf(statement, tables) }));
    expect(faults.filter((one) => one.faults.length > 0)).toEqual([]);
  });

  it.each([
    ["insert into charge (account_no, amount) values ($1, (select 1))", "has a subquery in values"],
    ["with request as (select) select 1 from charge where account_no = $1", "selects no columns"],
    ["select exists (select from charge where account_no = $1)", "selects no columns"],
    [
      "with recursive a as (select id from event union all select id from a) select * from a",
      "recurses over all accounts",
    ],
    ["update charge set amount = $1 where id = $2", "locks or changes rows without naming the account in each query"],
    [
      'select "id" from "charge" where "id" = $1 for no key update',
      "locks or changes rows without naming the account in each query",
    ],
    [
      "update decision set status = $1 where account_no = $2 and not exists (select 1 from charge where charge.account_no = decision.account_no)",
      "locks or changes rows without naming the account in each query",
    ],
    [
      "delete from event where (account_no, id) in (select account_no, id from event where account_no = $1)",
      "locks or changes rows without naming the account in each query",
    ],
    [
      "with charge as (update charge set amount = $1 where id = $2 returning id) select id from charge",
      "locks or changes rows without naming the account in each query",
    ],
    [
      "with found as (select id from charge where id = $1 for no key update), charge as (select id from found) select id from charge",
      "locks or changes rows without naming the account in each query",
    ],
    [
      "select 1 from charge join decision on decision.id = charge.decision_id where charge.account_no = $1",
      "joins other accounts' rows",
    ],
    [
      "select 1 from decision left join charge on charge.account_no = $1 and charge.id = $2 where decision.account_no = $1",
      "compares with null in an outer join",
    ],
    ["update attempt set amount = case calls when 0 then 1 else 2 end where account_no = $1", "uses case with a value"],
    [
      "update api_key set last_used_at = coalesce(last_used_at, now()) where account_no = $1",
      "calls a function of the time or of chance in case or coalesce",
    ],
  ])("a statement that can't run is detected: %s", async (text, fault) => {
    expect(faultsOf({ text, nulls: [2] }, await ownedTables())).toEqual([fault]);
  });

  it.each([
    "insert into charge (account_no, id) select $1, id from decision where account_no = $1",
    "with a as (select 1 as one) insert into charge (account_no) select $1 from a on conflict (account_no) do update set id = $2",
    "update delivery set status = $1 from event where (delivery.account_no, delivery.livemode) = ($2, $3) and (event.account_no, event.livemode) = ($2, $3)",
    "select 1 from charge join decision on decision.account_no = charge.account_no where charge.account_no = $1 for share",
    "select 1 from decision left join charge on charge.account_no = $1 and charge.id = coalesce($2, '') where decision.account_no = $1",
    "update attempt set amount = case when calls = 0 then 1 else 2 end where account_no = $1",
    "select account_no, id from decision where expires_at < $1 limit 10",
    "update account set name = $1 where id = $2",
    "with charge as (update charge set amount = $1 where account_no = $2 returning id) select id from charge",
    "update email set tries = tries + 1 where id = $1",
  ])("a statement that can run is accepted: %s", async (text) => {
    expect(faultsOf({ text, nulls: [2] }, await ownedTables())).toEqual([]);
  });

  /** The keys of owned tables that Citus couldn't enforce, and tables that it couldn't move to another worker. */
  async function undistributable(): Promise<string[]> {
    const { rows } = await sql<{ name: string }>`
      select indexrelid::regclass::text as name from pg_index
      where indisunique and indrelid::regclass::text = any(${await ownedTables()})
        and (select attname from pg_attribute where attrelid = indrelid and attnum = indkey[0]) <> 'account_no'
      union all
      select relname from pg_class where relname = any(${await ownedTables()}) and relpersistence <> 'p'`.execute(
      database.db,
    );
    return rows.map(({ name }) => name);
  }

  it("every unique key begins with the account, and no table is unlogged", async () => {
    expect(await undistributable()).toEqual([]);
    await sql`create unlogged table note (account_no bigint, livemode boolean, id text primary key)`.execute(
      database.db,
    );
    expect(await undistributable()).toEqual(["note_pkey", "note"]);
    await sql`drop table note`.execute(database.db);
  });
});
