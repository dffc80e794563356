/**
 * Runs the work for each item, `atOnce` at a time. When all work in progress has ended, rejects with the first failure.
 */
export async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const waiting = items.values();
  const lanes = Array.from({ length: Math.min(atOnce, items.length) }, async () => {
    for (const item of waiting) await work(item);
  });
  const failed = (await Promise.allSettled(lanes)).find((lane) => lane.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
