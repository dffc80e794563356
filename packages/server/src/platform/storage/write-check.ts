/**
 * Checks whether the database can write, for `/readyz`. Reads aren't enough: a standby is read-only, and on a full disk
 * PostgreSQL still serves reads and even updates rows in place. So the check does two things that fail then:
 *
 * - It sorts more data than fits in `work_mem`, so PostgreSQL writes a temporary file to the database's own disk. On a
 *   full disk that fails just as growing a table does, but it leaves no pages, dead rows or locks behind.
 * - It updates one row and commits. That needs the write-ahead log, a primary, and, with synchronous replication, the
 *   replica.
 *
 * Load balancers probe often, and each commit flushes to disk. So a result is valid for five seconds, and probes during
 * a check share its result.
 */
import { sql } from "kysely";
import type { Vault } from "@oriel/vault";
import type { PlatformContext } from "../context.ts";
import { messageOf } from "../message-of.ts";

const validMs = 5_000;
/** A database that is slower than this can't take payments either. */
const withinMs = 3_000;
/** A few hundred kilobytes, more than the 64 kB of `work_mem`. */
const rowsToSort = 20_000;

/** @param vault if it has a database of its own, which is checked, too */
export function createWriteCheck(
  { db, now, log }: Pick<PlatformContext, "db" | "now" | "log">,
  vault: Pick<Vault, "checkWrites"> | null,
): () => Promise<boolean> {
  let last: { atMs: number; canWrite: boolean } | null = null;
  let inProgress: Promise<boolean> | null = null;

  async function check(): Promise<boolean> {
    const startedAt = performance.now();
    const reason = await write().then(
      () => (performance.now() - startedAt > withinMs ? "The check timed out" : null),
      messageOf,
    );
    if (reason !== null) log.warn({ error: reason }, "The database doesn't accept writes, so this process isn't ready");
    last = { atMs: now().getTime(), canWrite: reason === null };
    return last.canWrite;
  }

  async function write(): Promise<void> {
    await db.transaction().execute(async (tx) => {
      // An empty value selects the database's own tablespace, whatever is configured for temporary files.
      await sql`select set_config('work_mem', '64kB', true), set_config('temp_tablespaces', '', true)`.execute(tx);
      await sql`select count(*) from (select n from generate_series(1, ${rowsToSort}::integer) n order by n desc offset 0) sorted`.execute(
        tx,
      );
      await tx.updateTable("write_check").set({ written_at: now() }).execute();
    });
    await vault?.checkWrites();
  }

  return async () => {
    const ageMs = last === null ? validMs : now().getTime() - last.atMs;
    if (last !== null && ageMs >= 0 && ageMs < validMs) return last.canWrite;
    inProgress ??= check().finally(() => (inProgress = null));
    return await falseAfter(inProgress, withinMs);
  };
}

/** Returns false after `ms`. The check continues for later probes. */
async function falseAfter(result: Promise<boolean>, ms: number): Promise<boolean> {
  const { promise: tooLong, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, ms, false);
  try {
    return await Promise.race([result, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
