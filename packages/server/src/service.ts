/** Opens everything a process needs, in order, and closes it again in the other. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createHttpBank, createVault, openKeyring } from "@oriel/vault";
import { runAttempt } from "./charges/run-attempt.ts";
import type { Config } from "./config.ts";
import type { Context, Log } from "./context.ts";
import { openJobs } from "./jobs/jobs.ts";
import { startSweeper } from "./jobs/sweeper.ts";
import { openServerKeys } from "./server-keys.ts";
import { openDatabase } from "./storage/database.ts";
import { migrate } from "./storage/migrate.ts";
import { deliver } from "./webhooks/deliver.ts";

export interface Service {
  context: Context;
  close(): Promise<void>;
}

/** @throws Error that says what is missing: the database, its lock, a key file. */
export async function openService(config: Config, log: Log, now: () => Date = () => new Date()): Promise<Service> {
  const works = config.role !== "api";
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  // The key files first: a damaged one must not leave a database open.
  const keyring = openKeyring(join(config.dataDir, "vault.keys.json"));
  const keys = openServerKeys(join(config.dataDir, "server.keys.json"));
  const database = await openDatabase(config.database);
  const jobs = await migrate(database.db)
    .then(() => openJobs(database, { work: works, log }))
    .catch(async (error: unknown) => {
      await database.close();
      throw error;
    });
  const background = new Set<Promise<unknown>>();
  const context: Context = {
    db: database.db,
    vault: createVault({
      db: database.pool,
      bank: createHttpBank(config.bank),
      keyring,
      now,
      warn: (message) => log.warn({}, message),
    }),
    jobs,
    keys,
    config,
    now,
    random: Math.random,
    log,
    inBackground(what, work) {
      const guarded = work
        .catch((error: unknown) =>
          log.error({ error: error instanceof Error ? error.stack : String(error) }, `Background work failed: ${what}`),
        )
        .finally(() => background.delete(guarded));
      background.add(guarded);
    },
  };

  let stopSweeper = () => {};
  if (works) {
    await jobs.work("deliver", ({ deliveryId }) => deliver(context, deliveryId));
    await jobs.work("attempt", ({ attemptId }) => runAttempt(context, attemptId));
    stopSweeper = startSweeper(context);
  }
  return {
    context,
    async close() {
      stopSweeper();
      await jobs.close();
      await Promise.allSettled(background);
      await database.close();
    },
  };
}
