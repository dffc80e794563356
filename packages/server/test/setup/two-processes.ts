/**
 * Two instances of the service on one database, as behind a load balancer. On PostgreSQL they are two real processes.
 * PGlite allows a single process, so there they are two apps, each with its own in-memory state.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import pino from "pino";
import type { Closers } from "../../../../scripts/test/closers-for.ts";
import { freePort } from "../../../../scripts/test/free-port.ts";
import { temporaryDirectory } from "../../../../scripts/test/temporary-directory.ts";
import { createApp } from "../../src/app.ts";
import { createAccount } from "../../src/merchants/accounts/accounts.ts";
import { createApiKey, type NewApiKey } from "../../src/merchants/accounts/api-keys.ts";
import { openDatabase, type DatabaseChoice, type Db } from "../../src/platform/storage/database.ts";
import type { Tenant } from "../../src/platform/tenant.ts";
import { readServiceConfig } from "../../src/service-config.ts";
import { openService } from "../../src/service.ts";
import { processEnv } from "./oriel-process.ts";
import { bankKeys, freshDatabase } from "./test-service.ts";
import { until } from "./until.ts";

export interface TwoProcesses {
  /** The URLs of both. */
  urls: readonly [string, string];
  /** A separate connection to the database that both use. */
  db: Db;
  choice: DatabaseChoice;
  dataDir: string;
  accountId: string;
  /** The account in test mode. */
  tenant: Tenant;
  key: NewApiKey;
  /** The log lines of both. */
  log: string[];
  close(): Promise<void>;
}

/** @param settings the environment of both */
export async function startTwoProcesses(settings: NodeJS.ProcessEnv): Promise<TwoProcesses> {
  const closers: Closers = [];
  const dataDir = temporaryDirectory((remove) => closers.push(remove));
  const choice = await freshDatabase(closers);
  const ports = [await freePort(), await freePort()] as const;
  const urls = [`http://127.0.0.1:${ports[0]}`, `http://127.0.0.1:${ports[1]}`] as const;
  const log: string[] = [];
  const env = {
    ORIEL_DATA_DIR: dataDir,
    BANK_API_KEY: bankKeys.apiKey,
    BANK_RESULTS_KEY: bankKeys.resultsKey,
    BANK_URL: "http://127.0.0.1:9", // no request is sent to it
    ...settings,
  };
  const db = choice.kind === "postgres" ? await startProcesses(choice.url) : await startApps();
  for (const url of urls) await until(`${url} to respond`, async () => ((await isReady(url)) ? true : null));

  const { id: accountId, accountNo } = await createAccount(db, "Test Shop", new Date());
  const tenant = { accountNo, livemode: false };
  return {
    urls,
    db,
    choice,
    dataDir,
    accountId,
    tenant,
    key: await createApiKey(db, tenant, new Date()),
    log,
    async close() {
      for (const close of closers.reverse()) await close();
    },
  };

  async function startProcesses(databaseUrl: string): Promise<Db> {
    const main = new URL("./api-process.ts", import.meta.url).pathname;
    for (const port of ports) {
      const child = spawn(process.execPath, [main], {
        env: { ...processEnv, DATABASE_URL: databaseUrl, ORIEL_PORT: String(port), ...env },
        stdio: ["ignore", "pipe", "inherit"],
      });
      child.stdout.on("data", (chunk: Buffer) => log.push(chunk.toString()));
      closers.push(async () => {
        child.kill("SIGTERM");
        if (child.exitCode === null) await once(child, "exit");
      });
    }
    const database = await openDatabase({ kind: "postgres", url: databaseUrl });
    closers.push(() => database.close());
    return database.db;
  }

  async function startApps(): Promise<Db> {
    const logger = pino({ level: "info" }, { write: (line: string) => void log.push(line) });
    const config = { ...readServiceConfig(env), database: { kind: "pglite" as const } };
    const service = await openService(config, logger);
    closers.push(() => service.close());
    for (const port of ports) {
      const app = await createApp(service.context, {
        loggerInstance: logger,
        resultsKeys: { test: bankKeys.resultsKey, live: null },
        files: null,
        trustProxy: config.trustProxy,
      });
      await app.listen({ port, host: "127.0.0.1" });
      closers.push(() => app.close());
    }
    return service.context.db;
  }
}

async function isReady(url: string): Promise<boolean> {
  return await fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}
