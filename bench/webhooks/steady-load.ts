/** Generates load at a constant rate, even if responses are slow, and evaluates the results. */
import { setTimeout as pause } from "node:timers/promises";
import type { Db } from "../../packages/server/src/platform/storage/database.ts";
import type { Receipt } from "./receivers.ts";

/** Resolves when all tasks are done. */
export async function doSteadily(tasks: readonly (() => Promise<unknown>)[], perSecond: number): Promise<void> {
  const startedAt = performance.now();
  const underWay: Promise<unknown>[] = [];
  for (const [n, task] of tasks.entries()) {
    await pause(Math.max(0, startedAt + (n * 1000) / perSecond - performance.now()));
    const done = task();
    done.catch(() => {}); // awaited below, after all have started
    underWay.push(done);
  }
  await Promise.all(underWay);
}

/**
 * Milliseconds from `event.created_at` to the first receipt. `created_at` is read in the transaction before it commits,
 * so this includes the commit and is slightly more than the delay after it. Both clocks are this machine's.
 */
export async function delaysOf(db: Db, receipts: readonly Receipt[]): Promise<number[]> {
  if (receipts.length === 0) return [];
  const ids = [...new Set(receipts.map(({ eventId }) => eventId))];
  const events = await db.selectFrom("event").select(["id", "created_at"]).where("id", "in", ids).execute();
  const createdAt = new Map(events.map(({ id, created_at }) => [id, created_at.getTime()]));
  return receipts.map(({ eventId, at }) => at - (createdAt.get(eventId) ?? Number.NaN));
}
