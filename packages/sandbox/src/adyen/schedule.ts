/** Values with a due time, earliest first. Values with the same time keep the order in which they were added. */
export class Schedule<T> {
  readonly #waiting: { dueMs: number; value: T }[] = [];

  add(dueMs: number, value: T): void {
    const before = this.#waiting.findLastIndex((other) => other.dueMs <= dueMs);
    this.#waiting.splice(before + 1, 0, { dueMs, value });
  }

  /** Removes and returns the earliest value if it's due. */
  takeNext(nowMs: number): { dueMs: number; value: T } | undefined {
    const next = this.#waiting[0];
    return next !== undefined && next.dueMs <= nowMs ? this.#waiting.shift() : undefined;
  }

  /** Removes and returns all due values. */
  takeDue(nowMs: number): { dueMs: number; value: T }[] {
    const end = this.#waiting.findIndex(({ dueMs }) => dueMs > nowMs);
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }

  /** Makes all values due by `nowMs`, in the same order. */
  makeAllDue(nowMs: number): void {
    for (const waiting of this.#waiting) waiting.dueMs = Math.min(waiting.dueMs, nowMs);
  }

  nextDueMs(): number | null {
    return this.#waiting[0]?.dueMs ?? null;
  }
}
