/** What PostgreSQL has prepared for us, and that a migration by a newer process, which outlives it, costs nobody a payment. */
import { sql } from "kysely";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isDatabaseFailure } from "../src/storage/is-database-failure.ts";
import { openDatabase, type Database } from "../src/storage/database.ts";
import { freshDatabase } from "./setup/test-service.ts";

let choice: { kind: "postgres"; url: string };
let database: Database;
let closers: (() => Promise<unknown>)[];
beforeEach(async () => {
  closers = [];
  const fresh = await freshDatabase(closers);
  if (fresh.kind !== "postgres") throw new Error("This is about PostgreSQL.");
  choice = fresh;
  await open();
  await sql`create table thing (id integer)`.execute(database.db);
  await sql`insert into thing values (1)`.execute(database.db);
});
afterEach(async () => {
  for (const close of closers.reverse()) await close();
});

async function open(prepares?: boolean): Promise<void> {
  const opened = await openDatabase({ ...choice, ...(prepares !== undefined && { prepares }) });
  database = opened;
  closers.push(() => opened.close());
}

type Asker = Pick<Database["db"], "getExecutor">;

async function readThing(db: Asker, id = 1): Promise<unknown[]> {
  return (await sql`select * from thing where id = ${id}`.execute(db)).rows;
}

async function prepared(db: Asker = database.db): Promise<string[]> {
  const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements order by 1`.execute(db);
  return rows.map(({ statement }) => statement);
}

it("a statement that comes again is prepared, once; one that came once is not", async () => {
  await sql`select ${1}::integer + 1`.execute(database.db);
  for (let times = 0; times < 3; times++) await readThing(database.db);
  expect(await prepared()).toEqual(["select * from thing where id = $1"]);
});

it("nothing is prepared where it is switched off", async () => {
  await open(false);
  for (let times = 0; times < 3; times++) expect(await readThing(database.db)).toEqual([{ id: 1 }]);
  expect(await prepared()).toEqual([]);
});

it("a new column is read by whoever had asked before", async () => {
  for (let times = 0; times < 3; times++) await readThing(database.db);
  await sql`alter table thing add column name text`.execute(database.db);
  expect(await readThing(database.db)).toEqual([{ id: 1, name: null }]);
  expect(await readThing(database.db, 2)).toEqual([]);
});

it("a transaction that meets a new column is a failure of the database, and the next one on the same connection is none", async () => {
  const work = () =>
    database.db.transaction().execute(async (tx) => {
      await sql`update thing set id = id + ${1} where id = ${5}`.execute(tx);
      return await readThing(tx);
    });
  for (let times = 0; times < 3; times++) await work();
  await sql`alter table thing add column name text`.execute(database.db);
  const error: unknown = await work().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(Error);
  expect(isDatabaseFailure(error)).toBe(true);
  expect(await work()).toEqual([{ id: 1, name: null }]);
});
