/**
 * The queue: work that must happen although the process that promised it may die. A job is a row, written in the same
 * transaction as the state that asks for it. It may be lost or late all the same; the state says when the work is due,
 * and `payments/flow/recovery.ts` does it without the job. Handlers may run twice; each is a conditional update at
 * heart.
 *
 * - `attempt`: one more question to the bank about an attempt whose outcome is not known. The first is asked by the
 *   request that made it, without a job.
 */
import { randomUUID } from "node:crypto";
import { fromKysely, PgBoss, type ConstructorOptions, type Db as QueueDatabase } from "pg-boss";
import type { Log } from "../log.ts";
import type { Database, Tx } from "../storage/database.ts";
import { PglitePool } from "../storage/pglite-pool.ts";
import { stackOf } from "../stack-of.ts";

export interface JobData {
  attempt: { attemptId: string };
}

export type JobName = keyof JobData;

const jobNames = Object.keys({ attempt: true } satisfies Record<JobName, true>);

export interface Jobs {
  /** Commits with the transaction, or not at all. */
  send<N extends JobName>(tx: Tx, name: N, data: JobData[N], startAfterSeconds?: number): Promise<void>;
  work<N extends JobName>(name: N, handler: (data: JobData[N]) => Promise<unknown>): Promise<void>;
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
  try {
    await boss.start();
    for (const name of jobNames) {
      await boss.createQueue(name, {
        // One job waits for each attempt, however often it is asked for.
        policy: "short",
        retryLimit: 20,
        retryDelay: 3,
        heartbeatSeconds,
        notify: true,
      });
      // Before a job is sent the queue is looked up, once, on a connection of the pool. Now, since the first send would
      // do it while its own transaction holds another: with PGlite, which has one, it would wait for itself for ever.
      await boss.findJobs(name, { id: randomUUID() });
    }
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => {}); // its timers and connections would keep the process from ending
    throw error;
  }

  return {
    async send(tx, name, data, startAfterSeconds = 0) {
      const singletonKey = Object.values(data).join();
      const startAfter = startAfterSeconds > 0 ? { startAfter: startAfterSeconds } : {};
      await boss.send(name, data, { db: fromKysely(tx), singletonKey, ...startAfter });
    },
    async work(name, handler) {
      const polling = { pollingIntervalSeconds: 1, notifyPollingIntervalSeconds: 1, burstWhenBatchFull: true };
      await boss.work<JobData[typeof name]>(name, { ...polling, batchSize: 1, localConcurrency: 16 }, async (jobs) => {
        for (const job of jobs) {
          try {
            await handler(job.data);
          } catch (error) {
            // The queue tries again; why it has to is for the log.
            const details = { job: name, ...job.data, error: stackOf(error) };
            options.log.error(details, "A job failed and will be tried again");
            throw error;
          }
        }
      });
    },
    async close() {
      await boss.stop({ graceful: true, timeout: 5_000 });
    },
  };
}

/**
 * The queue knows neither database. PostgreSQL: connections of the queue's own, one of which listens. PGlite has one
 * connection, so the queue takes turns with everyone else.
 */
function queueDatabase({
  choice,
  pool,
}: Database): Pick<ConstructorOptions, "connectionString" | "max" | "connectionTimeoutMillis" | "db" | "backend"> {
  if (choice.kind === "postgres")
    return { connectionString: choice.url, max: 4, connectionTimeoutMillis: 10_000, backend: "postgres" };
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
