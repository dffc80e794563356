/**
 * Tests prepared statements in PostgreSQL, and what happens when a newer process has changed a table or another client
 * has used the connection.
 */
import { sql } from "kysely";
import { afterEach, beforeEach, expect, it } from "vitest";
import { closersFor } from "../../../scripts/test/closers-for.ts";
import { openDatabase, type Database } from "../src/platform/storage/database.ts";
import { isDatabaseFailure } from "../src/platform/storage/is-database-failure.ts";
import { freshDatabase } from "./setup/test-service.ts";

let choice: { kind: "postgres"; url: string };
let database: Database;
const closers = closersFor(afterEach);
beforeEach(async () => {
  tests += 1;
  const fresh = await freshDatabase(closers);
  if (fresh.kind !== "postgres") throw new Error("This is about PostgreSQL.");
  choice = fresh;
  await open();
  await sql`create table thing (id integer)`.execute(database.db);
  await sql`insert into thing values (1)`.execute(database.db);
});

async function open(prepares?: boolean): Promise<void> {
  const opened = await openDatabase({ ...choice, ...(prepares !== undefined && { prepares }) });
  database = opened;
  closers.push(() => opened.close());
}

/**
 * A process remembers which statements were refused and no longer prepares them, so each test uses its own statement
 * text.
 */
let tests = 0;
const uniqueComment = () => sql.raw(`/* ${tests} */`);

async function readThing(id = 1): Promise<unknown[]> {
  return (await sql`select * from thing where id = ${id} ${uniqueComment()}`.execute(database.db)).rows;
}

async function prepared(): Promise<string[]> {
  const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements order by 1`.execute(
    database.db,
  );
  return rows.map(({ statement }) => statement);
}

it("prepares a repeated statement once, and doesn't prepare a statement that ran once", async () => {
  await sql`select ${1}::integer + 1`.execute(database.db);
  for (let times = 0; times < 3; times++) await readThing();
  expect(await prepared()).toEqual([`select * from thing where id = $1 /* ${tests} */`]);
});

it("prepares nothing when it is switched off", async () => {
  await open(false);
  for (let times = 0; times < 3; times++) expect(await readThing()).toEqual([{ id: 1 }]);
  expect(await prepared()).toEqual([]);
});

const forget = "deallocate all"; // like a pooler that passes the connection to another client

it.each([
  ["another column", "alter table thing add column name text", { id: 1, name: null }],
  ["a connection that does not know it", forget, { id: 1 }],
])("retries a prepared statement once, unprepared, if it is refused for %s", async (_name, cause, expected) => {
  for (let times = 0; times < 3; times++) await readThing();
  expect(await prepared()).toHaveLength(1);
  await sql.raw(cause).execute(database.db);
  expect(await readThing()).toEqual([expected]);
  expect(await readThing(2)).toEqual([]);
});

it("runs a write once if it is refused as a prepared statement", async () => {
  const count = async () =>
    await sql`update thing set id = id + ${1} returning * ${uniqueComment()}`.execute(database.db);
  for (let times = 0; times < 3; times++) await count();
  await sql`alter table thing add column name text`.execute(database.db);
  expect((await count()).rows).toEqual([{ id: 5, name: null }]);
});

it("fails a transaction with a database error when one is refused, and the connection's next transaction works", async () => {
  const work = () =>
    database.db.transaction().execute(async (tx) => {
      const connection = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
      await sql`insert into thing values (${7})`.execute(tx);
      return {
        connection: connection.rows,
        things: await sql`select * from thing where id < ${5} ${uniqueComment()}`.execute(tx),
      };
    });
  let before = await work();
  for (let times = 0; times < 3; times++) before = await work();
  await sql`alter table thing add column name text`.execute(database.db);
  const error: unknown = await work().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(Error);
  expect(isDatabaseFailure(error)).toBe(true);
  const after = await work();
  expect(after.things.rows).toEqual([{ id: 1, name: null }]);
  expect(after.connection).toEqual(before.connection);
  expect((await sql`select * from thing where id = 7`.execute(database.db)).rows).toHaveLength(5);
});
