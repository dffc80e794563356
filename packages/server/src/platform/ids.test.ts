import { describe, expect, it } from "vitest";
import { newId } from "./ids.ts";

describe("newId", () => {
  it("returns a prefix, then time and random bits in an alphabet without ambiguous letters", () => {
    expect(newId("ch", new Date())).toMatch(/^ch_[0-9a-hjkmnp-tv-z]{26}$/);
  });

  it("returns IDs that sort by time, across centuries", () => {
    const times = ["1970-01-01", "2026-06-01T12:00:00.000Z", "2026-06-01T12:00:00.001Z", "2999-01-01", "9999-12-31"];
    const ids = times.map((time) => newId("evt", new Date(time)));
    expect([...ids].sort()).toEqual(ids);
  });

  it("returns unique IDs even within one millisecond", () => {
    const now = new Date();
    expect(new Set(Array.from({ length: 10_000 }, () => newId("att", now))).size).toBe(10_000);
  });
});
