/**
 * Whether the database can write, for `/readyz`. That it can be read says little: a standby is read-only, and on a full
 * disk PostgreSQL goes on answering reads and even updates rows in place. So the check does what fails there:
 *
 * - it sorts more than fits into `work_mem`, and PostgreSQL writes the rest into a file on the database's own disk.
 *   That fails on a full disk as adding a page to a table does, but leaves nothing behind: no pages, no dead rows, no
 *   lock
 * - it updates one row and commits, which needs the write-ahead log, a primary, and, where commits wait for a replica,
 *   the replica
 *
 * A balancer's probes are many, and a commit costs a flush. So an answer is good for five seconds, and probes that come
 * meanwhile wait for the same check.
 */
import { sql } from "kysely";
import type { PlatformContext } from "../context.ts";

const validMs = 5_000;
/** A database that takes longer to write one row takes no payments either. */
const withinMs = 3_000;
/** A few hundred kilobytes, against 64. */
const rowsToSort = 20_000;

export function createWriteCheck({
  db,
  now,
  log,
}: Pick<PlatformContext, "db" | "now" | "log">): () => Promise<boolean> {
  let last: { atMs: number; canWrite: boolean } | null = null;
  let underWay: Promise<boolean> | null = null;

  async function check(): Promise<boolean> {
    const startedAt = performance.now();
    const reason = await write().then(
      () => (performance.now() - startedAt > withinMs ? "It took too long" : null),
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    if (reason !== null) log.warn({ error: reason }, "The database can't write, so this process isn't ready");
    last = { atMs: now().getTime(), canWrite: reason === null };
    return last.canWrite;
  }

  async function write(): Promise<void> {
    await db.transaction().execute(async (tx) => {
      // Empty: the database's own tablespace, wherever temporary files usually go.
      await sql`select set_config('work_mem', '64kB', true), set_config('temp_tablespaces', '', true)`.execute(tx);
      await sql`select count(*) from (select n from generate_series(1, ${rowsToSort}::integer) n order by n desc offset 0) sorted`.execute(
        tx,
      );
      await tx.updateTable("write_check").set({ written_at: now() }).execute();
    });
  }

  return async () => {
    const ageMs = last === null ? validMs : now().getTime() - last.atMs;
    if (last !== null && ageMs >= 0 && ageMs < validMs) return last.canWrite;
    underWay ??= check().finally(() => (underWay = null));
    return await orFalse(underWay, withinMs);
  };
}

/** The check goes on after that, for whoever asks next. */
async function orFalse(asked: Promise<boolean>, ms: number): Promise<boolean> {
  const { promise: tooLong, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, ms, false);
  try {
    return await Promise.race([asked, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
