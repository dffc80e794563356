import { describe, expect, it } from "vitest";
import { timeLeft } from "./time-left.ts";

const now = 1_800_000_000;
const hour = 3600;

describe("timeLeft", () => {
  it.each([
    [5 * 24 * hour + 1, "5 days left"],
    [2 * 24 * hour - 1, "1 day left"],
    [24 * hour, "1 day left"],
    [24 * hour - 1, "23 hours left"],
    [hour, "1 hour left"],
    [hour - 1, "less than an hour left"],
    [1, "less than an hour left"],
    [0, null],
    [-1, null],
  ])("says how much of %i seconds is left", (left, text) => {
    expect(timeLeft(now + left, now)).toBe(text);
  });
});
