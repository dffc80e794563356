/** Tests when declines become known. */
import { describe, expect, it } from "vitest";
import { untilNextStep } from "./decline-timing.ts";

describe("untilNextStep", () => {
  it.each([
    [0, 3000],
    [1, 2999],
    [2999, 1],
    [3000, 0],
    [3001, 2999],
    [6000, 0],
    [8999, 1],
  ])("after %i ms, waits %i ms for a step of 3000 ms", (elapsedMs, waitMs) => {
    expect(untilNextStep(elapsedMs, 3000)).toBe(waitMs);
  });
});
