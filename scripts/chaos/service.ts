/**
 * The service as it runs somewhere: PostgreSQL that writes to the disk, the bank, processes of `oriel serve`, and one
 * account. Everything is made anew in a directory and a database of its own, and is gone when it is closed, or when
 * this process ends before.
 */
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql, type RawBuilder } from "kysely";
import { openDatabase, type Db } from "../../packages/server/src/platform/storage/database.ts";
import { startPostgres } from "../../packages/server/test/setup/postgres.ts";
import { startBank, type BankProcess } from "./bank.ts";
import type { Chance } from "./chance.ts";
import { createProcesses, freePort, type Processes, type Role } from "./processes.ts";

export interface Service {
  db: Db;
  databaseUrl: string;
  bank: BankProcess;
  /** Not started yet. */
  processes: Processes;
  /** Of every process; a service in this process can be opened with it too. */
  env: NodeJS.ProcessEnv;
  /** Of the account. */
  secretKey: string;
  /** What the processes printed. */
  logDirectory: string;
  /**
   * @param keepLogs after a run that went wrong: the processes' logs, the bank's books, and the database where the
   *   server goes on
   */
  close(keepLogs: boolean): Promise<void>;
}

export interface ServiceOptions {
  /** One process each. */
  roles: readonly Role[];
  /** Of every process, beside what is the same for all runs. */
  env?: NodeJS.ProcessEnv;
  chance: Chance;
}

/** The exit code of a run that could not be brought to its end: somebody will want to know why. */
const brokeOff = 2;

export async function openService({ roles, env: more = {}, chance }: ServiceOptions): Promise<Service> {
  buildPages();
  const directory = mkdtempSync(join(tmpdir(), "oriel-trial-"));
  let isKept = false;
  process.once("exit", (code) => {
    if (isKept || code === brokeOff) console.error(`The logs of the processes are in ${directory}`);
    else rmSync(directory, { recursive: true, force: true });
  });
  const logDirectory = join(directory, "logs");
  mkdirSync(logDirectory);
  const keys = { api: randomBytes(24).toString("base64url"), results: randomBytes(24).toString("base64url") };
  const bank = await startBank(await freePort(chance), join(directory, "bank"), keys);
  const postgres = await startPostgres({ durable: true });
  const database = await createDatabase(postgres.url);
  const { url } = database;
  const env = {
    PATH: process.env["PATH"],
    DATABASE_URL: url,
    ORIEL_DATA_DIR: join(directory, "data"),
    BANK_URL: bank.url,
    BANK_API_KEY: keys.api,
    BANK_RESULTS_KEY: keys.results,
    ORIEL_RATE_LIMIT: "off",
    ORIEL_FRAME_RATE_LIMIT: "off",
    ORIEL_RISK: "off",
    ORIEL_WEBHOOKS_TO_LOOPBACK: "1",
    NODE_COMPILE_CACHE: join(directory, "compile-cache"), // starts are many, and what they compile is the same
    ...more,
  };
  const processes = await createProcesses({ roles, env, logDirectory, chance });
  const secretKey = /oriel_sk_test_\w+/.exec(await processes.run("account", "create", "Trial"))?.[0];
  if (secretKey === undefined) throw new Error("`oriel account create` printed no secret key");

  const { db, close: closeDatabase } = await openDatabase({ kind: "postgres", url });
  return {
    db,
    databaseUrl: url,
    bank,
    processes,
    env,
    secretKey,
    logDirectory,
    async close(keepLogs) {
      isKept = keepLogs;
      await processes.close();
      await closeDatabase();
      if (!keepLogs) await database.drop();
      await bank.close();
      await postgres.stop();
    },
  };
}

/** `oriel serve` refuses to start without them. */
function buildPages(): void {
  if (existsSync("dist/checkout/pages.json")) return;
  const built = spawnSync("node_modules/.bin/vite", ["build", "--app", "--logLevel", "warn"], { stdio: "inherit" });
  if (built.status !== 0) throw new Error("The pages could not be built: try `npm run build`.");
}

/** Of its own, also where the server is somebody's. */
async function createDatabase(server: string): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `oriel_trial_${Date.now()}`;
  const onServer = async (statement: RawBuilder<unknown>) => {
    const { db, close } = await openDatabase({ kind: "postgres", url: server });
    await statement.execute(db).finally(close);
  };
  await onServer(sql`create database ${sql.ref(name)}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => onServer(sql`drop database ${sql.ref(name)} with (force)`) };
}
