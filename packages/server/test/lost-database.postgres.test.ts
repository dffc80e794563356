/**
 * Tests losing PostgreSQL during startup or a migration: one sentence says what happened and what to do, the exit code
 * isn't 0, nothing is left half done, and the same command works once PostgreSQL is back.
 */
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { closersFor } from "../../../scripts/test/closers-for.ts";
import { freePort } from "../../../scripts/test/free-port.ts";
import { temporaryDirectory } from "../../../scripts/test/temporary-directory.ts";
import { openDatabaseProxy, type DatabaseProxy } from "./setup/database-proxy.ts";
import { startOrielServer, type OrielProcess } from "./setup/oriel-process.ts";
import { freshDatabase } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const closers = closersFor(afterEach);
let db: pg.Client;
let line: DatabaseProxy;
let env: NodeJS.ProcessEnv;
beforeEach(async () => {
  const dataDir = temporaryDirectory(onTestFinished);
  const choice = await freshDatabase(closers);
  if (choice.kind !== "postgres") throw new Error("Bug: this needs PostgreSQL");
  db = new pg.Client({ connectionString: choice.url });
  await db.connect();
  closers.push(() => db.end());
  line = await openDatabaseProxy(choice.url);
  let isOpen = true;
  const { close } = line;
  line.close = async () => {
    if (isOpen) await close();
    isOpen = false;
  };
  closers.push(() => line.close());
  env = {
    ORIEL_DATA_DIR: dataDir,
    ORIEL_PORT: String(await freePort()),
    BANK_API_KEY: "k".repeat(16),
    BANK_RESULTS_KEY: "r".repeat(16),
    DATABASE_URL: line.url,
  };
});

/** Makes the migrations block until the connection is lost. */
async function waitInMigration(): Promise<void> {
  await db.query(`
    create function wait_here() returns event_trigger language plpgsql as $$ begin perform pg_sleep(60); end $$;
    create event trigger wait_here on ddl_command_start when tag in ('CREATE FUNCTION') execute function wait_here();`);
}

/** Makes a start block after the migrations, where the service compares its keys with the database. */
async function waitAfterMigrations(): Promise<void> {
  await db.query(`
    create function wait_here() returns trigger language plpgsql as $$ begin perform pg_sleep(60); return new; end $$;
    create trigger wait_here before insert on server_key for each row execute function wait_here();`);
}

async function stopWaiting(): Promise<void> {
  await db.query("drop event trigger wait_here; drop function wait_here()");
}

/** Returns the ID of the PostgreSQL process that is running that statement. */
async function waiting(): Promise<number> {
  return await until("the waiting statement", async () => {
    const { rows } = await db.query<{ pid: number }>(
      "select pid from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()",
    );
    return rows[0]?.pid ?? null;
  });
}

const losses: [string, () => Promise<unknown>][] = [
  ["ends the connection", async () => await db.query("select pg_terminate_backend($1::integer)", [await waiting()])],
  [
    "disappears from the network",
    async () => {
      const pid = await waiting();
      await line.close();
      await db.query("select pg_terminate_backend($1::integer)", [pid]); // the server process hasn't noticed the loss yet
    },
  ],
];

/** Requires one line besides the log, no stack trace, and an exit code other than 0. */
async function expectSentence(lost: OrielProcess, sentence: RegExp): Promise<void> {
  const code = await lost.end();
  const lines = lost.said().trim().split("\n");
  const printed = lines.filter((line) => !line.startsWith("{"));
  expect(printed).toEqual([expect.stringMatching(sentence)]);
  expect(code).toBe(2);
}

async function tables(): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema') order by 1",
  );
  return rows.map(({ name }) => name);
}

describe.each(losses)("PostgreSQL that %s", (_name, lose) => {
  it.each([["migrate"], ["serve"]])(
    "ends `oriel %s` during a migration with one sentence and leaves nothing half done",
    async (command) => {
      await waitInMigration();
      const lost = startOrielServer([command], env, closers);
      await lose();
      await expectSentence(
        lost,
        /^oriel-server: PostgreSQL became unavailable during the migration 0001_first: .+\. .*none was applied\. Try again when .*/,
      );
      // Kysely creates its own bookkeeping tables before the migrations start.
      expect((await tables()).filter((name) => !name.startsWith("kysely_"))).toEqual([]);

      await stopWaiting();
      const again = startOrielServer(
        ["migrate"],
        { ...env, DATABASE_URL: line.url.replace(/:\d+\//, `:${db.port}/`) },
        closers,
      );
      expect(await again.end()).toBe(0);
      expect(await tables()).toContain("attempt");
    },
  );

  it("ends a service that is starting with one sentence", async () => {
    expect(await startOrielServer(["account", "create", "Shop"], env, closers).end()).toBe(0); // also runs the migrations
    await waitAfterMigrations();
    const lost = startOrielServer(["serve"], env, closers);
    await lose();
    await expectSentence(
      lost,
      /^oriel-server: PostgreSQL became unavailable while the service was starting: .+\. Try again when .*/,
    );
  });
});
