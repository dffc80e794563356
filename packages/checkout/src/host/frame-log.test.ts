import { describe, expect, it } from "vitest";
import { createFrameLog } from "./frame-log.ts";

describe("the iframe's log", () => {
  it("contains what happened, and the time since its start", () => {
    let nowMs = 5000;
    const log = createFrameLog(() => nowMs);
    log.note("event", "ready");
    nowMs = 5250;
    log.note("payment", "three_ds");
    expect(log.lines()).toEqual([
      [0, "event ready"],
      [250, "payment three_ds"],
    ]);
  });

  it.each([
    "4242424242424242",
    "123",
    "12 / 34",
    "A. Customer",
    "a@b.example",
    "cs_1",
    "https://shop.example/#secret",
    "x".repeat(41),
    "",
  ])("redacts %j", (what) => {
    const log = createFrameLog(() => 0);
    log.note("event", what);
    expect(log.lines()).toEqual([[0, "event redacted"]]);
  });

  it("keeps the last hundred lines, and repeated lines only once", () => {
    const log = createFrameLog(() => 0);
    for (let index = 0; index < 300; index++) log.note("event", index % 2 ? "change" : "resize");
    log.note("event", "submit");
    log.note("event", "submit");
    expect(log.lines()).toHaveLength(100);
    expect(log.lines().slice(-2)).toEqual([
      [0, "event change"],
      [0, "event submit"],
    ]);
  });

  it("has no negative times if the customer's clock is set back, and returns a copy", () => {
    let nowMs = 1000;
    const log = createFrameLog(() => nowMs);
    nowMs = 0;
    log.note("event", "ready");
    const [line] = log.lines();
    if (line) line[1] = "changed";
    expect(log.lines()).toEqual([[0, "event ready"]]);
  });
});
