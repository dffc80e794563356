import { describe, expect, it } from "vitest";
import { Schedule } from "./schedule.ts";

describe("a schedule", () => {
  it("returns due values by time, and values with the same time in the order in which they were added", () => {
    const schedule = new Schedule<string>();
    for (const [dueMs, value] of [
      [20, "b"],
      [10, "a"],
      [30, "d"],
      [20, "c"],
    ] as const)
      schedule.add(dueMs, value);
    expect(schedule.nextDueMs()).toBe(10);
    expect(schedule.takeNext(9)).toBeUndefined();
    expect(schedule.takeNext(10)).toEqual({ dueMs: 10, value: "a" });
    expect(schedule.takeDue(20).map(({ value }) => value)).toEqual(["b", "c"]);
    expect(schedule.takeDue(29)).toEqual([]);
    expect(schedule.takeDue(30).map(({ value }) => value)).toEqual(["d"]);
    expect(schedule.nextDueMs()).toBeNull();
  });
});
