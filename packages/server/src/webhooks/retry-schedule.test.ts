import { describe, expect, it } from "vitest";
import { pauseBeforeNextTry, pauseOfEndpoint, schedule } from "./retry-schedule.ts";

const seconds = (ms: number | null) => (ms === null ? null : ms / 1000);

describe("the pause before the next try", () => {
  it("is that of Standard Webhooks, and after the tenth try there is none", () => {
    const pauses = Array.from({ length: 10 }, (_, i) => seconds(pauseBeforeNextTry(i + 1, null, 0.5)));
    expect(pauses).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400, null]);
    expect(schedule).toHaveLength(10);
  });

  it.each([
    [0, 0.8],
    [0.25, 0.9],
    [0.5, 1],
    [1, 1.2],
  ])("is spread by a fifth in both directions: a draw of %d makes it %d times as long", (draw, factor) => {
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
  ])("after try %d, with Retry-After %d, is %d seconds: heeded within bounds", (tries, retryAfter, pause) => {
    expect(seconds(pauseBeforeNextTry(tries, retryAfter, 0.5))).toBe(pause);
  });

  it("is none after the last try, whatever was asked for", () => {
    expect(pauseBeforeNextTry(10, 60, 0.5)).toBeNull();
  });
});

describe("the pause of an endpoint", () => {
  it.each([429, 502, 504])("that answers %d is half a minute, or as long as it says, up to an hour", (status) => {
    expect(seconds(pauseOfEndpoint(status, "response_status", null))).toBe(30);
    expect(seconds(pauseOfEndpoint(status, "response_status", 7))).toBe(7);
    expect(seconds(pauseOfEndpoint(status, "response_status", 0))).toBe(1);
    expect(seconds(pauseOfEndpoint(status, "response_status", 9_999_999))).toBe(3_600);
  });

  it("that does not answer in time is half a minute", () => {
    expect(seconds(pauseOfEndpoint(null, "timeout", null))).toBe(30);
  });

  it.each([400, 404, 410, 500, 501, 503])("that answers %d is none", (status) => {
    expect(pauseOfEndpoint(status, "response_status", null)).toBeNull();
  });

  it.each(["connection", "tls", "name_not_resolved"] as const)("that fails with %s is none", (failure) => {
    expect(pauseOfEndpoint(null, failure, null)).toBeNull();
  });
});
