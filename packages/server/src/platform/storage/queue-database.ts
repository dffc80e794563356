/** What the job queue gets of the database, so that it need not know which one it is. */
import type { ConstructorOptions, Db as QueueDatabase } from "pg-boss";
import type { Database } from "./database.ts";
import { PglitePool } from "./pglite-pool.ts";

/** PostgreSQL: connections of the queue's own, one of which listens. PGlite has one connection, so the queue takes turns with everyone else. */
export function queueDatabase({
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
