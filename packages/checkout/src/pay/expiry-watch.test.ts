import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createExpiryWatch } from "./expiry-watch.ts";
import type { ExpiryWatch } from "./expiry-watch.ts";

const minute = 60_000;
let watch: ExpiryWatch;
let warnings: number[];
let refreshes: number[];
const at = () => Date.now();

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  warnings = [];
  refreshes = [];
  watch = createExpiryWatch({
    document,
    now: at,
    expiring: (secondsLeft) => void warnings.push(secondsLeft),
    refresh: () => void refreshes.push(at()),
  });
});
afterEach(() => {
  watch.follow(null);
  vi.useRealTimers();
});

describe("the expiry watch", () => {
  it("warns once, a minute before the end, and asks the service when the time is over", () => {
    watch.follow(10 * minute);
    vi.advanceTimersByTime(9 * minute - 1);
    expect(warnings).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(warnings).toEqual([60]);
    vi.advanceTimersByTime(minute);
    expect(refreshes).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(refreshes).toEqual([10 * minute + 1000]);
    expect(warnings).toEqual([60]);
  });

  it("keeps asking until the service says that the session is over: a payment may be in progress, or the clock wrong", () => {
    watch.follow(minute);
    vi.advanceTimersByTime(2 * minute);
    expect(refreshes).toEqual([61_000, 76_000, 91_000, 106_000]);
    watch.follow(null);
    vi.advanceTimersByTime(10 * minute);
    expect(refreshes).toHaveLength(4);
  });

  it("doesn't ask without pause when the clock is fast", () => {
    watch.follow(-minute);
    watch.follow(-minute);
    expect(refreshes).toEqual([]);
    vi.advanceTimersByTime(15_000);
    expect(refreshes).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  it("warns with the remaining time if the session has almost expired when the page opens", () => {
    watch.follow(20_500);
    expect(warnings).toEqual([21]);
    watch.follow(20_500);
    expect(warnings).toEqual([21]);
  });

  it("checks the time when the page is shown, because timers stop while the device sleeps", () => {
    watch.follow(10 * minute);
    vi.setSystemTime(11 * minute);
    document.dispatchEvent(new Event("visibilitychange"));
    expect(refreshes).toEqual([11 * minute]);
  });
});
