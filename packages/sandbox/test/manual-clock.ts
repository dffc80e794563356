/** A clock that advances only when a test moves it. */
import type { Clock } from "../src/clock.ts";

export interface ManualClock extends Clock {
  /** Advances the clock and runs the due timers in order. */
  advance(ms: number): void;
  /** Number of pending timers. */
  pending(): number;
}

export function createManualClock(startMs = Date.UTC(2026, 0, 15, 12)): ManualClock {
  let nowMs = startMs;
  const timers = new Set<{ dueMs: number; task: () => void }>();
  return {
    now: () => nowMs,
    after(delayMs, task) {
      const timer = { dueMs: nowMs + delayMs, task };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance(ms) {
      nowMs += ms;
      const due = [...timers].filter((timer) => timer.dueMs <= nowMs).sort((one, other) => one.dueMs - other.dueMs);
      for (const timer of due) {
        if (timers.delete(timer)) timer.task();
      }
    },
    pending: () => timers.size,
  };
}
