/**
 * Listens for notifications about committed transactions (`commit-hooks.ts`). Each new connection calls `onNotification` once, to
 * make up for notifications missed while disconnected. Callers that must not miss any also have to poll.
 *
 * PostgreSQL: uses its own connection, which must reach the server directly. It doesn't work through a pooler in
 * transaction mode.
 */
import pg from "pg";
import { keepAlive, type Database } from "./database.ts";
import { PglitePool } from "./pglite-pool.ts";
import { PrimaryClient } from "./primary-client.ts";

const reconnectAfterMs = 1_000;

/** @returns a function that stops listening */
export async function listen(
  { choice, pool }: Database,
  channel: string,
  onNotification: () => void,
): Promise<() => Promise<void>> {
  if (pool instanceof PglitePool) return await pool.listen(channel, onNotification);
  if (choice.kind !== "postgres") throw new Error("Bug: a PostgreSQL pool without a URL");
  const { url } = choice;

  let client: PrimaryClient | null = null;
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function connect(): Promise<void> {
    const connection = new PrimaryClient({
      connectionString: url,
      connectionTimeoutMillis: 10_000,
      query_timeout: 10_000,
      ...keepAlive,
    });
    client = connection;
    connection.on("error", () => {}); // an `end` event follows
    const reconnect = () => {
      clearTimeout(retry);
      if (!isClosed) retry = setTimeout(() => void connect(), reconnectAfterMs);
    };
    connection.on("end", reconnect);
    connection.on("notification", onNotification);
    try {
      await connection.connect();
      if (isClosed) return connection.closeNow();
      await connection.query(`listen ${pg.escapeIdentifier(channel)}`);
      onNotification();
    } catch {
      await connection.end().catch(() => {});
      reconnect(); // no `end` event follows if there was no server to connect to
    }
  }

  await connect();
  return async () => {
    isClosed = true;
    clearTimeout(retry);
    client?.closeNow();
  };
}
