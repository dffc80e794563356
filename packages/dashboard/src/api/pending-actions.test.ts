import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { findUndecided, forgetUndecided, saveUndecided } from "./pending-actions.ts";

const refund = { loginId: "login_1", path: "/refund" };
const action = { key: "k", values: { amount: "10" } };
const hourMs = 3_600_000;

beforeEach(() => vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => {
  vi.useRealTimers();
  sessionStorage.clear();
});

describe("an action with an unknown outcome", () => {
  it("is found by its own user under its own path until it's decided", () => {
    saveUndecided(refund, action);
    expect(findUndecided(refund)).toEqual(action);
    expect(findUndecided({ ...refund, path: "/capture" })).toBeUndefined();
    expect(findUndecided({ ...refund, loginId: "login_2" })).toBeUndefined();
    forgetUndecided(refund);
    expect(findUndecided(refund)).toBeUndefined();
  });

  it("is forgotten before the service forgets its key and would run it again", () => {
    saveUndecided(refund, action);
    vi.advanceTimersByTime(22 * hourMs);
    expect(findUndecided(refund)).toEqual(action);
    vi.advanceTimersByTime(2 * hourMs);
    expect(findUndecided(refund)).toBeUndefined();
  });
});
