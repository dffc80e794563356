import { afterEach, expect, it, vi } from "vitest";
import { atNextReport, nextReport } from "./report-interval.ts";

afterEach(() => vi.useRealTimers());

it.each([0, 1, 130, 499, 500, 730])(
  "reports at the clock's next half second, %i ms into the current second",
  async (ms) => {
    vi.useFakeTimers({ now: Date.UTC(2027, 5, 15) + ms });
    const looked: number[] = [];
    const now = () => Date.now();
    atNextReport(now, () => looked.push(now() % 500));
    const waited = nextReport(now).then(() => looked.push(now() % 500));
    await vi.advanceTimersByTimeAsync(500);
    await waited;
    expect(looked).toEqual([0, 0]);
  },
);
