import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { startTimeLimit } from "./time-limit.ts";

describe("a time limit", () => {
  it("ends when the time is over, and says so", () => {
    vi.useFakeTimers();
    const limit = startTimeLimit(1_000, undefined);
    vi.advanceTimersByTime(999);
    expect([limit.signal.aborted, limit.isOver()]).toEqual([false, false]);
    vi.advanceTimersByTime(1);
    expect([limit.signal.aborted, limit.isOver()]).toEqual([true, true]);
    vi.useRealTimers();
  });

  it("ends with the other signal, which is not the time's doing, also one that has ended before", () => {
    const giveUp = new AbortController();
    const limit = startTimeLimit(60_000, giveUp.signal);
    giveUp.abort();
    const late = startTimeLimit(60_000, giveUp.signal);
    expect([limit.signal.aborted, limit.isOver(), late.signal.aborted]).toEqual([true, false, true]);
    limit.letGo();
    late.letGo();
  });

  it("leaves nothing on the other signal once it is let go of", () => {
    const { signal } = new AbortController();
    for (let i = 0; i < 100; i++) startTimeLimit(60_000, signal).letGo();
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});
