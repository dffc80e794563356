import { describe, expect, it } from "vitest";
import { lastArrival, nextStep } from "./send-limits.ts";

const created_at = new Date("2026-03-01T12:00:00Z");
const minuteMs = 60_000;
const at = (minutes: number, ms = 0) => new Date(created_at.getTime() + minutes * minuteMs + ms);
type Attempt = Parameters<typeof nextStep>[0];
const attempt: Attempt = { kind: "authorize", created_at, withdrawn_at: null, times_asked: 2 };

describe.each(["authorize", "verify"] as const)("attempts to %s that the acquirer doesn't know", (kind) => {
  it.each([
    [at(0), "send"],
    [at(15, -1), "send"],
    [at(15), "wait"],
    [at(20, -1), "wait"],
    [at(20), "fail"],
  ])("at %o, have the next step %s", (now, step) => {
    expect(nextStep({ ...attempt, kind }, now)).toBe(step);
  });

  it("fail after 15 minutes if no message was ever sent", () => {
    expect(nextStep({ ...attempt, kind, times_asked: 1 }, at(15, -1))).toBe("send");
    expect(nextStep({ ...attempt, kind, times_asked: 1 }, at(15))).toBe("fail");
  });

  it("are sent until they are withdrawn, for at most 15 minutes", () => {
    const withdrawn = { ...attempt, kind, withdrawn_at: at(3) };
    expect(nextStep(withdrawn, at(3, -1))).toBe("send");
    expect(nextStep(withdrawn, at(3))).toBe("wait");
    expect(nextStep(withdrawn, at(8))).toBe("fail");
    expect(lastArrival(withdrawn)).toEqual(at(8));
    expect(lastArrival({ ...withdrawn, withdrawn_at: at(16) })).toEqual(at(20));
  });

  it("allow 20 minutes for the last message to arrive", () => {
    expect(lastArrival({ ...attempt, kind })).toEqual(at(20));
  });
});

describe.each(["capture", "cancel", "refund"] as const)("attempts to %s", (kind) => {
  it("are sent no matter how old they are", () => {
    expect(nextStep({ ...attempt, kind }, at(60 * 24 * 365))).toBe("send");
    expect(lastArrival({ ...attempt, kind })).toBeNull();
  });
});
