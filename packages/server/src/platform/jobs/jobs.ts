/**
 * The job queue: work that must happen even if the process that scheduled it dies. A job is a row, written in the same
 * transaction as the state that requires it. A job can still be late or lost, so the state also says when the work is
 * due, and `payments/flow/recovery.ts` does it without the job. A handler may run twice for a job, so its changes are
 * conditional updates.
 *
 * - `attempt`: checks an attempt whose outcome is unknown with the acquirer. The first call to the acquirer is made by
 *   the request itself, without a job.
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
  /** The job is queued only if the transaction commits. */
  send<N extends JobName>(tx: Tx, name: N, data: JobData[N], startAfterSeconds?: number): Promise<void>;
  work<N extends JobName>(name: N, handler: (data: JobData[N]) => Promise<unknown>): Promise<void>;
  /** The queue's own connection pool, or an adapter to the service's. */
  connections(): unknown;
  close(): Promise<void>;
}

/** If a worker sends no heartbeat for this many seconds, its job goes to another worker. */
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
        // At most one job waits for each attempt, however often it is sent.
        policy: "short",
        retryLimit: 20,
        retryDelay: 3,
        heartbeatSeconds,
        notify: true,
      });
      // pg-boss looks up the queue on its first use, on a connection from the pool. Trigger the lookup now. Otherwise
      // the first `send` would do it while its own transaction holds a connection, and with PGlite's single connection
      // it would wait forever.
      await boss.findJobs(name, { id: randomUUID() });
    }
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => {}); // otherwise its timers and connections keep the process alive
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
            // The queue retries the job. Log why.
            const details = { job: name, ...job.data, error: stackOf(error) };
            options.log.error(details, "A job failed and will be retried");
            throw error;
          }
        }
      });
    },
    connections: () => ("pool" in boss.getDb() ? Reflect.get(boss.getDb(), "pool") : null),
    async close() {
      await boss.stop({ graceful: true, timeout: 5_000 });
    },
  };
}

/**
 * Connects the queue to the database. On PostgreSQL, the queue opens its own connections, one of which listens. PGlite
 * has only one connection, so the queue takes turns with everything else.
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
