import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { startTimeLimit } from "./time-limit.ts";

describe("startTimeLimit", () => {
  it("aborts when the time is up, and reports the timeout", () => {
    vi.useFakeTimers();
    const limit = startTimeLimit(1_000, undefined);
    vi.advanceTimersByTime(999);
    expect([limit.signal.aborted, limit.isOver()]).toEqual([false, false]);
    vi.advanceTimersByTime(1);
    expect([limit.signal.aborted, limit.isOver()]).toEqual([true, true]);
    vi.useRealTimers();
  });

  it("aborts with the other signal without reporting a timeout, even if that has already aborted", () => {
    const other = new AbortController();
    const limit = startTimeLimit(60_000, other.signal);
    other.abort();
    const late = startTimeLimit(60_000, other.signal);
    expect([limit.signal.aborted, limit.isOver(), late.signal.aborted]).toEqual([true, false, true]);
    limit.letGo();
    late.letGo();
  });

  it("leaves no listener on the other signal after letGo", () => {
    const { signal } = new AbortController();
    for (let i = 0; i < 100; i++) startTimeLimit(60_000, signal).letGo();
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});
