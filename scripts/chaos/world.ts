/** Everything a run needs: PostgreSQL that writes to the disk, the bank, the webhook receiver, the processes under test, and a way to send. */
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql, type RawBuilder } from "kysely";
import { openDatabase, type Db } from "../../packages/server/src/storage/database.ts";
import { startPostgres } from "../../packages/server/test/setup/postgres.ts";
import { startBank, type BankProcess } from "./bank.ts";
import type { Chance } from "./chance.ts";
import type { Options } from "./options.ts";
import { createProcesses, freePort, type Processes } from "./processes.ts";
import { startReceiver, type Receiver } from "./receiver.ts";
import { openResultsDoor } from "./results-door.ts";
import { createSender, type Sender } from "./send.ts";

export interface World {
  db: Db;
  bank: BankProcess;
  receiver: Receiver;
  processes: Processes;
  sender: Sender;
  /** What the processes printed. */
  logDirectory: string;
  /** @param keepLogs after a run that went wrong: the processes' logs, the bank's books, and the database where the server goes on */
  close(keepLogs: boolean): Promise<void>;
}

export async function createWorld({ mode, apis, workers }: Options, chance: Chance): Promise<World> {
  const directory = mkdtempSync(join(tmpdir(), "oriel-chaos-"));
  const logDirectory = join(directory, "logs");
  mkdirSync(logDirectory);
  const keys = { api: randomBytes(24).toString("base64url"), results: randomBytes(24).toString("base64url") };
  const bank = await startBank(await freePort(chance), join(directory, "bank"), keys);
  const receiver = await startReceiver(chance.stream("receiver"));
  const postgres = await startPostgres({ durable: true });
  const database = await createDatabase(postgres.url);
  const { url } = database;

  const door = await openResultsDoor(() => processes.apis);
  const env = {
    PATH: process.env["PATH"],
    DATABASE_URL: url,
    ORIEL_DATA_DIR: join(directory, "data"),
    ORIEL_API_URL: door.url,
    BANK_URL: bank.url,
    BANK_API_KEY: keys.api,
    BANK_RESULTS_KEY: keys.results,
    ORIEL_RATE_LIMIT: "off",
    ORIEL_FRAME_RATE_LIMIT: "off",
    ORIEL_RISK: "off",
    ORIEL_WEBHOOKS_TO_LOOPBACK: "1",
    NODE_COMPILE_CACHE: join(directory, "compile-cache"), // starts are many, and what they compile is the same
  };
  const processes: Processes = await createProcesses({ apis, workers, env, logDirectory, chance });
  const secretKey = /oriel_sk_test_\w+/.exec(await processes.run("account", "create", "Chaos"))?.[0];
  if (secretKey === undefined) throw new Error("`oriel account create` printed no secret key");
  await Promise.all(processes.all.map((one) => one.start()));

  const sender = createSender({ processes, secretKey, hastiness: mode === "kills" ? 0.08 : 0 });
  const created = await sender.ask("/api/v1/webhook_endpoints", { url: receiver.url }, chance);
  receiver.secret = String((JSON.parse(created.text) as { secret?: string }).secret);
  const { db, close: closeDatabase } = await openDatabase({ kind: "postgres", url });
  return {
    db,
    bank,
    receiver,
    processes,
    sender,
    logDirectory,
    async close(keepLogs) {
      await processes.close();
      await closeDatabase();
      if (!keepLogs) await database.drop();
      door.close();
      await receiver.close();
      await bank.close();
      await postgres.stop();
      if (!keepLogs) rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Of its own, also where the server is somebody's. */
async function createDatabase(server: string): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `oriel_chaos_${Date.now()}`;
  const onServer = async (statement: RawBuilder<unknown>) => {
    const { db, close } = await openDatabase({ kind: "postgres", url: server });
    await statement.execute(db).finally(close);
  };
  await onServer(sql`create database ${sql.ref(name)}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => onServer(sql`drop database ${sql.ref(name)} with (force)`) };
}
