/**
 * Hears what is told of transactions that have committed (`announce.ts`). A call that was missed, because the
 * connection was lost for a while, is made up for by one on every new connection; whoever must not miss anything looks
 * for itself from time to time as well.
 *
 * PostgreSQL: a connection of its own, which must reach the server itself (a pooler that shares connections between
 * transactions loses it).
 */
import pg from "pg";
import type { Database } from "./database.ts";
import { PglitePool } from "./pglite-pool.ts";

const reconnectAfterMs = 1_000;

/** @returns a function that ends it */
export async function listen(
  { choice, pool }: Database,
  channel: string,
  heard: () => void,
): Promise<() => Promise<void>> {
  if (pool instanceof PglitePool) return await pool.listen(channel, heard);
  if (choice.kind !== "postgres") throw new Error("Bug: a pool of PostgreSQL without its address");
  const { url } = choice;

  let client: pg.Client | null = null;
  let retry: NodeJS.Timeout | undefined;
  let isOver = false;

  async function connect(): Promise<void> {
    const connection = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000, keepAlive: true });
    client = connection;
    connection.on("error", () => {}); // followed by `end`
    connection.on("end", () => {
      if (!isOver) retry = setTimeout(() => void connect(), reconnectAfterMs);
    });
    connection.on("notification", heard);
    try {
      await connection.connect();
      await connection.query(`listen ${pg.escapeIdentifier(channel)}`);
      heard();
    } catch {
      await connection.end().catch(() => {}); // `end` connects again
    }
  }

  await connect();
  return async () => {
    isOver = true;
    clearTimeout(retry);
    await client?.end().catch(() => {}); // gone already
  };
}
