import { describe, expect, it } from "vitest";
import { pauseBeforeNextTry, pauseOfEndpoint, schedule } from "./retry-schedule.ts";

const seconds = (ms: number | null) => (ms === null ? null : ms / 1000);

describe("pauseBeforeNextTry", () => {
  it("follows the schedule of Standard Webhooks, and returns null after the tenth attempt", () => {
    const pauses = Array.from({ length: 10 }, (_, i) => seconds(pauseBeforeNextTry(i + 1, null, 0.5)));
    expect(pauses).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400, null]);
    expect(schedule).toHaveLength(10);
  });

  it.each([
    [0, 0.8],
    [0.25, 0.9],
    [0.5, 1],
    [1, 1.2],
  ])("adds up to 20% of jitter: for the random number %d, the pause is %d times as long", (draw, factor) => {
    expect(pauseBeforeNextTry(2, null, draw)).toBeCloseTo(300_000 * factor, 6);
  });

  it.each([
    [1, 1, 5],
    [1, 8, 8],
    [1, 60, 60],
    [1, 3_600, 60],
    [2, 120, 300],
    [2, 500, 500],
    [2, 86_400, 600],
    [9, 10_000_000, 172_800],
  ])("after attempt %d with Retry-After %d returns %d seconds, within the limits", (tries, retryAfter, pause) => {
    expect(seconds(pauseBeforeNextTry(tries, retryAfter, 0.5))).toBe(pause);
  });

  it("returns null after the last attempt, even with Retry-After", () => {
    expect(pauseBeforeNextTry(10, 60, 0.5)).toBeNull();
  });
});

describe("pauseOfEndpoint", () => {
  it.each([429, 502, 504])("for status %d returns 30 seconds, or Retry-After up to an hour", (status) => {
    expect(seconds(pauseOfEndpoint(status, "response_status", null))).toBe(30);
    expect(seconds(pauseOfEndpoint(status, "response_status", 7))).toBe(7);
    expect(seconds(pauseOfEndpoint(status, "response_status", 0))).toBe(1);
    expect(seconds(pauseOfEndpoint(status, "response_status", 9_999_999))).toBe(3_600);
  });

  it("for a timeout returns 30 seconds", () => {
    expect(seconds(pauseOfEndpoint(null, "timeout", null))).toBe(30);
  });

  it.each([400, 404, 410, 500, 501, 503])("for status %d returns null", (status) => {
    expect(pauseOfEndpoint(status, "response_status", null)).toBeNull();
  });

  it.each(["connection", "tls", "name_not_resolved"] as const)("for the failure %s returns null", (failure) => {
    expect(pauseOfEndpoint(null, failure, null)).toBeNull();
  });
});
