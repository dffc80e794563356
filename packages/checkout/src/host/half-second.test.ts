import { afterEach, expect, it, vi } from "vitest";
import { atHalfSecond, onTheHalfSecond } from "./half-second.ts";

afterEach(() => vi.useRealTimers());

it.each([0, 1, 130, 499, 500, 730])("looks on the next half second of the clock, %i ms after a second began", async (ms) => {
  vi.useFakeTimers({ now: Date.UTC(2027, 5, 15) + ms });
  const looked: number[] = [];
  const now = () => Date.now();
  atHalfSecond(now, () => looked.push(now() % 500));
  const waited = onTheHalfSecond(now).then(() => looked.push(now() % 500));
  await vi.advanceTimersByTimeAsync(500);
  await waited;
  expect(looked).toEqual([0, 0]);
});
