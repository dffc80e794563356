import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createExpiryWatch } from "./expiry-watch.ts";
import type { ExpiryWatch } from "./expiry-watch.ts";

const minute = 60_000;
let watch: ExpiryWatch;
let told: number[];
let asked: number[];
const at = () => Date.now();

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  told = [];
  asked = [];
  watch = createExpiryWatch({
    document,
    now: at,
    expiring: (secondsLeft) => void told.push(secondsLeft),
    ask: () => void asked.push(at()),
  });
});
afterEach(() => {
  watch.follow(null);
  vi.useRealTimers();
});

describe("the session's time", () => {
  it("is announced a minute before it ends, once, and asked about when it is over", () => {
    watch.follow(10 * minute);
    vi.advanceTimersByTime(9 * minute - 1);
    expect(told).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(told).toEqual([60]);
    vi.advanceTimersByTime(minute);
    expect(asked).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(asked).toEqual([10 * minute + 1000]);
    expect(told).toEqual([60]);
  });

  it("is asked about again while nobody says that it is over: a payment may be in flight, or the clock wrong", () => {
    watch.follow(minute);
    vi.advanceTimersByTime(2 * minute);
    expect(asked).toEqual([61_000, 76_000, 91_000, 106_000]);
    watch.follow(null);
    vi.advanceTimersByTime(10 * minute);
    expect(asked).toHaveLength(4);
  });

  it("does not make a clock that runs ahead ask without pause", () => {
    watch.follow(-minute);
    watch.follow(-minute);
    expect(asked).toEqual([]);
    vi.advanceTimersByTime(15_000);
    expect(asked).toHaveLength(1);
    expect(told).toEqual([]);
  });

  it("that is nearly over when the page opens is announced with what is left", () => {
    watch.follow(20_500);
    expect(told).toEqual([21]);
    watch.follow(20_500);
    expect(told).toEqual([21]);
  });

  it("is looked at when the page is shown again: timers sleep with the machine", () => {
    watch.follow(10 * minute);
    vi.setSystemTime(11 * minute);
    document.dispatchEvent(new Event("visibilitychange"));
    expect(asked).toEqual([11 * minute]);
  });
});
