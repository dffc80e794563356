import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { startTimeLimit } from "./time-limit.ts";

describe("startTimeLimit", () => {
  it("aborts when the time has passed, and reports that it did", () => {
    vi.useFakeTimers();
    const limit = startTimeLimit(1_000, undefined);
    vi.advanceTimersByTime(999);
    expect([limit.signal.aborted, limit.hasPassed()]).toEqual([false, false]);
    vi.advanceTimersByTime(1);
    expect([limit.signal.aborted, limit.hasPassed()]).toEqual([true, true]);
    vi.useRealTimers();
  });

  it("aborts with the other signal, even if that was already aborted, and doesn't report a timeout", () => {
    const giveUp = new AbortController();
    const limit = startTimeLimit(60_000, giveUp.signal);
    giveUp.abort();
    const late = startTimeLimit(60_000, giveUp.signal);
    expect([limit.signal.aborted, limit.hasPassed(), late.signal.aborted]).toEqual([true, false, true]);
    limit.release();
    late.release();
  });

  it("removes its listener from the other signal when it is released", () => {
    const { signal } = new AbortController();
    for (let i = 0; i < 100; i++) startTimeLimit(60_000, signal).release();
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});
