/**
 * The queue: work that must happen although the process that promised it may die. A job is a row, written in the same transaction as the
 * state that asks for it, so there is never one without the other. Handlers may run twice; each is a conditional update at heart.
 *
 * - `deliver`: one try to send one event to one endpoint.
 * - `attempt`: look after one attempt at the bank until its outcome is known. The request that made it does this at once; the job is for
 *   when that request's process died.
 */
import { fromKysely, PgBoss, type ConstructorOptions, type Db as QueueDatabase } from "pg-boss";
import type { Log } from "../context.ts";
import type { Database, Tx } from "../storage/database.ts";
import { PglitePool } from "../storage/pglite-pool.ts";

export interface JobData {
  deliver: { deliveryId: string };
  attempt: { attemptId: string; /** How often the bank has been asked what became of it. */ asked: number };
}

export type JobName = keyof JobData;

export interface Jobs {
  /** Commits with the transaction, or not at all. */
  send<N extends JobName>(tx: Tx, name: N, data: JobData[N], startAfterSeconds?: number): Promise<void>;
  work<N extends JobName>(name: N, handler: (data: JobData[N]) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** A worker that dies is noticed after this many seconds without a heartbeat, and its job goes to another. */
const heartbeatSeconds = 15;

export async function openJobs(database: Database, options: { work: boolean; log: Log }): Promise<Jobs> {
  const boss = new PgBoss({
    ...queueDatabase(database),
    schema: "jobs",
    schedule: false,
    supervise: options.work,
    superviseIntervalSeconds: 10,
    monitorIntervalSeconds: 10,
    useListenNotify: options.work,
  });
  boss.on("error", (error) => options.log.error({ error: error.message }, "The job queue reported an error"));
  await boss.start();
  for (const name of ["deliver", "attempt"] satisfies JobName[]) {
    await boss.createQueue(name, {
      retryLimit: 20,
      retryDelay: 2,
      retryBackoff: true,
      retryDelayMax: 60,
      heartbeatSeconds,
      notify: true,
    });
  }

  return {
    async send(tx, name, data, startAfterSeconds = 0) {
      await boss.send(name, data, { db: fromKysely(tx), ...(startAfterSeconds > 0 ? { startAfter: startAfterSeconds } : {}) });
    },
    async work(name, handler) {
      const polling = { pollingIntervalSeconds: 1, notifyPollingIntervalSeconds: 1 };
      await boss.work<JobData[typeof name]>(name, { ...polling, batchSize: 1, localConcurrency: 8 }, async (jobs) => {
        for (const job of jobs) await handler(job.data);
      });
    },
    async close() {
      await boss.stop({ graceful: true, timeout: 5_000 });
    },
  };
}

/** PostgreSQL: connections of the queue's own, one of which listens. PGlite has one connection, so the queue takes turns with everyone else. */
function queueDatabase({ choice, pool }: Database): Pick<ConstructorOptions, "connectionString" | "max" | "db" | "backend"> {
  if (choice.kind === "postgres") return { connectionString: choice.url, max: 4, backend: "postgres" };
  const db: QueueDatabase = {
    executeSql: async (text, values) => ({ rows: (await pool.query(text, values)).rows }),
  };
  if (pool instanceof PglitePool) {
    db.listen = async (channel, onNotification, onReconnect) => {
      const stop = await pool.pglite.listen(channel, onNotification);
      onReconnect();
      return { close: async () => await stop() };
    };
  }
  return { db, backend: "pglite" };
}
