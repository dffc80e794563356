/**
 * Runs the service as a process that a test can kill with SIGKILL and start again, with a PostgreSQL and a bank that
 * both outlive it.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Closers } from "../../../../scripts/test/closers-for.ts";
import { freePort } from "../../../../scripts/test/free-port.ts";
import { temporaryDirectory } from "../../../../scripts/test/temporary-directory.ts";
import { createAccount } from "../../src/merchants/accounts/accounts.ts";
import { createApiKey } from "../../src/merchants/accounts/api-keys.ts";
import type { Config } from "../../src/platform/config.ts";
import { openDatabase, type Db } from "../../src/platform/storage/database.ts";
import { migrate } from "../../src/platform/storage/migrate.ts";
import { storedFunctions } from "../../src/stored-functions.ts";
import { startBankProcess } from "./bank-process.ts";
import { openBankProxy, type BankProxy } from "./bank-proxy.ts";
import type { Reached } from "./customer.ts";
import { bankKeys, freshDatabase, send } from "./test-service.ts";
import { until } from "./until.ts";

export interface CrashingService extends Reached {
  db: Db;
  /** The environment of the process. */
  env: NodeJS.ProcessEnv;
  /** The proxy between the service and the bank. Customers reach the bank directly, at `bankUrl`. */
  line: BankProxy;
  /** What the process printed, across all restarts. */
  said(): string;
  /** Resolves when it accepts requests. */
  start(role?: Config["role"]): Promise<void>;
  /** Kills the process with SIGKILL, so it can't finish anything. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

/** Long enough for a busy machine. */
const startWithinMs = 60_000;
const main = new URL("./api-process.ts", import.meta.url).pathname;

/**
 * Prepares the service without starting it.
 *
 * @param settings added to its environment
 */
export async function prepareCrashingService(settings: NodeJS.ProcessEnv = {}): Promise<CrashingService> {
  const closers: Closers = [];
  const dataDir = temporaryDirectory((remove) => closers.push(remove));
  const choice = await freshDatabase(closers);
  if (choice.kind !== "postgres") throw new Error("Bug: a killed process needs a database that outlives it");
  const database = await openDatabase(choice);
  closers.push(() => database.close());
  await migrate(database, storedFunctions);
  const { db } = database;
  const { accountNo } = await createAccount(db, "Test Shop", new Date());
  const { secretKey } = await createApiKey(db, { accountNo, livemode: false }, new Date());

  const bank = await startBankProcess();
  closers.push(() => bank.close());
  const line = await openBankProxy(bank.url);
  closers.push(() => line.close());
  const port = await freePort();
  const apiUrl = `http://127.0.0.1:${port}`;
  const checkoutOrigin = `http://localhost:${port}`;
  const env = {
    PATH: process.env["PATH"],
    DATABASE_URL: choice.url,
    ORIEL_DATA_DIR: dataDir,
    ORIEL_PORT: String(port),
    ORIEL_API_URL: apiUrl,
    ORIEL_CHECKOUT_ORIGIN: checkoutOrigin,
    ORIEL_RISK: "off",
    BANK_API_KEY: bankKeys.apiKey,
    BANK_RESULTS_KEY: bankKeys.resultsKey,
    BANK_URL: line.url,
    NODE_COMPILE_CACHE: join(dataDir, "compile-cache"), // shared, because every start compiles the same code
    ...settings,
  };
  let child: ChildProcess | null = null;
  let said = "";
  const kill = async () => {
    const running = child;
    child = null;
    if (running === null || running.exitCode !== null) return;
    running.kill("SIGKILL");
    await once(running, "exit");
  };
  closers.push(kill);

  return {
    db,
    env,
    line,
    bankUrl: bank.url,
    said: () => said,
    async start(role = "all") {
      const started = spawn(process.execPath, [main, role], { env, stdio: ["ignore", "pipe", "pipe"] });
      child = started;
      let life = "";
      for (const stream of [started.stdout, started.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => {
          life += text;
          said += text;
        });
      }
      await until(
        "the service to start",
        () => {
          if (started.exitCode !== null) throw new Error(`The service ended with ${started.exitCode}:\n${life}`);
          return /Listening on|"Working"/.exec(life);
        },
        startWithinMs,
      );
    },
    kill,
    call: (method, path, body, headers) =>
      send(apiUrl, method, path, body, { authorization: `Bearer ${secretKey}`, ...headers }),
    frame: (method, path, body, token) =>
      send(checkoutOrigin, method, path, body, token === undefined ? {} : { authorization: `Bearer ${token}` }),
    async close() {
      for (const close of closers.reverse()) await close();
    },
  };
}
