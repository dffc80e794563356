/**
 * A complete installation: PostgreSQL that writes to disk, the bank, `oriel-server serve` processes and one account. It
 * has a new directory and a new database, which are deleted when it's closed or this process exits.
 */
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase, type Db } from "../../packages/server/src/platform/storage/database.ts";
import { createDatabase } from "../../packages/server/test/setup/create-database.ts";
import { startPostgres } from "../../packages/server/test/setup/postgres.ts";
import { build } from "../../scripts/build.ts";
import { freePort } from "../../scripts/test/free-port.ts";
import { startBank, type BankProcess } from "./bank.ts";
import { createProcesses, type Processes, type Role } from "./processes.ts";

export interface Service {
  db: Db;
  databaseUrl: string;
  bank: BankProcess;
  /** The processes, which aren't started yet. */
  processes: Processes;
  /** Environment variables of every process. A service in this process can use them, too. */
  env: NodeJS.ProcessEnv;
  accountId: string;
  /** Secret key of the account. */
  secretKey: string;
  /** Directory with the processes' output. */
  logDirectory: string;
  /**
   * @param saveLogs - Keeps the logs, the bank's ledger and, if the server stays up, the database, for a run that
   * failed.
   */
  close(saveLogs: boolean): Promise<void>;
}

export interface ServiceOptions {
  /** The URL of an empty database, which the caller removes. By default, a new server has one. */
  databaseUrl?: string | undefined;
  /** The role of each process. */
  roles: readonly Role[];
  /** Environment variables of every process, in addition to those that all runs have. */
  env?: NodeJS.ProcessEnv;
  /** Environment variables of the bank, in addition to those that all runs have. */
  bankEnv?: NodeJS.ProcessEnv;
}

/** Exit code of a run that someone has stopped. The logs of others that didn't finish are kept. */
const stopped = 130;

export async function openService({
  databaseUrl,
  roles,
  env: more = {},
  bankEnv = {},
}: ServiceOptions): Promise<Service> {
  build(); // `oriel-server serve` refuses to start without its pages

  const directory = mkdtempSync(join(tmpdir(), "oriel-trial-"));
  let savesLogs = false;
  process.once("exit", (code) => {
    if (savesLogs || (code !== 0 && code !== stopped)) console.error(`Logs: ${directory}`);
    else rmSync(directory, { recursive: true, force: true });
  });
  const logDirectory = join(directory, "logs");
  mkdirSync(logDirectory);
  const keys = { api: randomBytes(24).toString("base64url"), results: randomBytes(24).toString("base64url") };
  const bank = await startBank(await freePort(), join(directory, "bank"), keys, bankEnv);
  const postgres = databaseUrl === undefined ? await startPostgres({ durable: true }) : null;
  const database = postgres && (await createDatabase(postgres.url));
  const url = databaseUrl ?? database?.url ?? "";
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
    NODE_COMPILE_CACHE: join(directory, "compile-cache"), // many processes compile the same code
    ...more,
  };
  const processes = await createProcesses({ roles, env, logDirectory });
  const created = await processes.run("account", "create", "Trial");
  const secretKey = /oriel_sk_test_\w+/.exec(created)?.[0];
  const accountId = /acct_\w+/.exec(created)?.[0];
  if (secretKey === undefined || accountId === undefined)
    throw new Error("`oriel-server account create` printed no account ID or no secret key");

  const { db, close: closeDatabase } = await openDatabase({ kind: "postgres", url });
  return {
    db,
    databaseUrl: url,
    bank,
    processes,
    env,
    accountId,
    secretKey,
    logDirectory,
    async close(saveLogs) {
      savesLogs = saveLogs;
      await processes.close();
      await closeDatabase();
      if (!saveLogs) await database?.drop();
      await bank.close();
      await postgres?.stop();
    },
  };
}
