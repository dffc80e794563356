import { describe, expect, it } from "vitest";
import { concernOf, nextCallAt, nextStep, type Resolves } from "./send-limits.ts";

const created_at = new Date("2026-03-01T12:00:00Z");
const minuteMs = 60_000;
const hour = 60;
const day = 24 * hour;
const at = (minutes: number, ms = 0) => new Date(created_at.getTime() + minutes * minuteMs + ms);

type Attempt = Parameters<typeof nextStep>[0];
const attempt: Attempt = {
  kind: "authorize",
  reversal: null,
  created_at,
  first_called_at: null,
  withdrawn_at: null,
  accepted_at: null,
  calls: 2,
};
const unsent = { calls: 1 };

const byReference: Resolves = { by: "reference" };
const byReplay: Resolves = { by: "replay", safeForMs: 7 * day * minuteMs };

describe("with an acquirer that has a lookup", () => {
  describe.each(["authorize", "verify"] as const)("an attempt to %s that it doesn't know", (kind) => {
    it.each([
      [at(0), "send"],
      [at(15, -1), "send"],
      [at(15), "wait"],
      [at(20, -1), "wait"],
      [at(20), "fail"],
    ])("at %o, has the next step %s", (now, step) => {
      expect(nextStep({ ...attempt, kind }, byReference, now)).toBe(step);
    });

    it("fails after 15 minutes if no message was ever sent", () => {
      expect(nextStep({ ...attempt, kind, ...unsent }, byReference, at(15, -1))).toBe("send");
      expect(nextStep({ ...attempt, kind, ...unsent }, byReference, at(15))).toBe("fail");
    });

    it("is sent until it's withdrawn, for at most 15 minutes", () => {
      const withdrawn = { ...attempt, kind, withdrawn_at: at(3) };
      expect(nextStep(withdrawn, byReference, at(3, -1))).toBe("send");
      expect(nextStep(withdrawn, byReference, at(3))).toBe("wait");
      expect(nextStep(withdrawn, byReference, at(8, -1))).toBe("wait");
      expect(nextStep(withdrawn, byReference, at(8))).toBe("fail");
      expect(nextStep({ ...withdrawn, withdrawn_at: at(16) }, byReference, at(20, -1))).toBe("wait");
    });

    it("is checked with growing pauses, and again when the last message has arrived", () => {
      expect(nextCallAt({ ...attempt, kind }, byReference, at(0))).toEqual(at(0, 1_000));
      expect(nextCallAt({ ...attempt, kind }, byReference, at(2))).toEqual(at(2, 20_000));
      expect(nextCallAt({ ...attempt, kind }, byReference, at(6))).toEqual(at(11));
      expect(nextCallAt({ ...attempt, kind }, byReference, at(18))).toEqual(at(20));
      expect(nextCallAt({ ...attempt, kind }, byReference, at(day))).toEqual(at(2 * day));
    });
  });

  it.each(["capture", "cancel", "refund"] as const)("an attempt to %s is sent no matter how old it is", (kind) => {
    expect(nextStep({ ...attempt, kind }, byReference, at(365 * day))).toBe("send");
    expect(concernOf({ ...attempt, kind }, byReference)).toBeNull();
  });

  it.each(["capture", "cancel", "refund"] as const)("an accepted attempt to %s isn't sent, but checked", (kind) => {
    const accepted = { ...attempt, kind, accepted_at: at(1) };
    expect(nextStep(accepted, byReference, at(2))).toBe("wait");
    expect(nextCallAt(accepted, byReference, at(2))).toEqual(at(2, 20_000));
  });
});

describe("with an acquirer that can't be used", () => {
  const unusable: Resolves = { by: "nothing" };
  const kinds = ["authorize", "verify", "capture", "cancel", "refund", "reverse"] as const;

  it.each(kinds)("an attempt to %s waits, and an item is raised after 5 minutes", (kind) => {
    const waiting = { ...attempt, kind, reversal: kind === "reverse" ? ("reference" as const) : null };
    expect(concernOf(waiting, unusable)).toEqual({ kind: "acquirer_unusable", at: at(5) });
    expect(concernOf({ ...waiting, first_called_at: at(60) }, unusable)).toMatchObject({ at: at(65) });
    expect(nextCallAt(waiting, unusable, at(0))).toEqual(at(0, 1_000));
    expect(nextCallAt(waiting, unusable, at(4, 50_000))).toEqual(at(5));
    expect(nextCallAt(waiting, unusable, at(7))).toEqual(at(12));
  });

  it.each(["capture", "cancel", "refund"] as const)("an accepted attempt to %s waits for its notification", (kind) => {
    const accepted = { ...attempt, kind, accepted_at: at(1) };
    expect(concernOf(accepted, unusable)).toEqual({ kind: "operation_overdue", at: at(1 + 7 * day) });
  });

  it("a person is notified of an accepted authorization, too", () => {
    expect(concernOf({ ...attempt, accepted_at: at(1) }, unusable)).toEqual({ kind: "acquirer_unusable", at: at(5) });
  });
});

describe("with an acquirer that recognizes repeated requests for 7 days", () => {
  it.each([
    ["authorize", 9, "reverse"],
    ["verify", 9, "fail"],
    ["capture", 7 * day - 1, "wait"],
    ["cancel", 7 * day - 1, "wait"],
    ["refund", 7 * day - 1, "wait"],
    ["reverse", 7 * day - 1, "wait"],
  ] as const)("an attempt to %s is repeated for %i minutes, and then the next step is %s", (kind, minutes, then) => {
    expect(nextStep({ ...attempt, kind }, byReplay, at(0))).toBe("send");
    expect(nextStep({ ...attempt, kind }, byReplay, at(minutes, -1))).toBe("send");
    expect(nextStep({ ...attempt, kind }, byReplay, at(minutes))).toBe(then);
    expect(nextStep({ ...attempt, kind }, byReplay, at(30 * day))).toBe(then);
  });

  it.each(["authorize", "capture"] as const)(
    "an attempt to %s isn't repeated once the acquirer may have forgotten it",
    (kind) => {
      const replaying: Resolves = { by: "replay", safeForMs: 5 * minuteMs };
      expect(nextStep({ ...attempt, kind }, replaying, at(4, -1))).toBe("send");
      expect(nextStep({ ...attempt, kind }, replaying, at(4))).not.toBe("send");
    },
  );

  it.each([
    ["authorize", "fail"],
    ["verify", "fail"],
    ["capture", "send"],
    ["refund", "send"],
  ] as const)("an attempt to %s that was never sent has the next step %s, however late", (kind, step) => {
    expect(nextStep({ ...attempt, kind, ...unsent }, byReplay, at(day))).toBe(step);
  });

  describe.each([
    ["capture", null],
    ["refund", null],
    ["reverse", "cancel"],
  ] as const)("an attempt to %s (%s) that was first sent after two hours", (kind, reversal) => {
    const late = { ...attempt, kind, reversal, first_called_at: at(120) };

    it("is repeated for 7 days after that, and an item is raised after one", () => {
      const end = 120 + 7 * day - 1;
      expect(nextStep({ ...late, ...unsent }, byReplay, at(120))).toBe("send");
      expect(nextStep(late, byReplay, at(end, -1))).toBe("send");
      expect(nextStep(late, byReplay, at(end))).toBe("wait");
      expect(concernOf(late, byReplay)).toEqual({ kind: "outcome_unknown", at: at(120 + day) });
    });

    it("is called with pauses that grow from the first call", () => {
      expect(nextCallAt(late, byReplay, at(120))).toEqual(at(120, 1_000));
      expect(nextCallAt(late, byReplay, at(122))).toEqual(at(122, 20_000));
      expect(nextCallAt(late, byReplay, at(120 + 2 * hour))).toEqual(at(120 + 3 * hour));
    });

    it("is called when a person has to be notified, and when it can't be repeated anymore", () => {
      expect(nextCallAt(late, byReplay, at(119 + day))).toEqual(at(120 + day));
      expect(nextCallAt(late, byReplay, at(118 + 7 * day))).toEqual(at(119 + 7 * day));
      expect(nextCallAt(late, byReplay, at(119 + 7 * day))).toEqual(at(119 + 8 * day));
    });
  });

  it("an authorization that was first sent late is repeated for 9 minutes, but at most until it's 15 minutes old", () => {
    const early = { ...attempt, first_called_at: at(6, -1) };
    expect(nextStep(early, byReplay, at(15, -2))).toBe("send");
    expect(nextStep(early, byReplay, at(15, -1))).toBe("reverse");
    const late = { ...attempt, first_called_at: at(6, 1) };
    expect(nextStep(late, byReplay, at(15, -1))).toBe("send");
    expect(nextStep(late, byReplay, at(15))).toBe("reverse");
    expect(nextStep({ ...late, withdrawn_at: at(8) }, byReplay, at(8))).toBe("reverse");
  });

  it("a withdrawn authorization is reversed at once if it may have been sent", () => {
    const withdrawn = { ...attempt, withdrawn_at: at(3) };
    expect(nextStep(withdrawn, byReplay, at(3, -1))).toBe("send");
    expect(nextStep(withdrawn, byReplay, at(3))).toBe("reverse");
    expect(nextStep({ ...withdrawn, ...unsent }, byReplay, at(3))).toBe("fail");
  });

  it("an accepted authorization isn't repeated, but reversed at the same time", () => {
    const accepted = { ...attempt, accepted_at: at(1) };
    expect(nextStep(accepted, byReplay, at(9, -1))).toBe("wait");
    expect(nextCallAt(accepted, byReplay, at(1))).toEqual(at(9));
    expect(nextStep(accepted, byReplay, at(9))).toBe("reverse");
  });

  it("is called with growing pauses, and then only when something changes", () => {
    expect(nextCallAt(attempt, byReplay, at(2))).toEqual(at(2, 20_000));
    expect(nextCallAt(attempt, byReplay, at(8))).toEqual(at(9));
    expect(nextCallAt(attempt, byReplay, at(9))).toEqual(at(day));
    expect(nextCallAt(attempt, byReplay, at(day))).toEqual(at(2 * day));
  });

  it.each([
    ["an authorization", attempt, { kind: "outcome_unknown", at: at(day) }],
    ["an accepted authorization", { ...attempt, accepted_at: at(1) }, { kind: "outcome_unknown", at: at(day) }],
    ["a verification", { ...attempt, kind: "verify" }, null],
    ["a capture", { ...attempt, kind: "capture" }, { kind: "outcome_unknown", at: at(day) }],
    ["a reversal by reference", { ...attempt, kind: "reverse", reversal: "reference" }, null],
    ["a reversal by ID", { ...attempt, kind: "reverse", reversal: "cancel" }, { kind: "outcome_unknown", at: at(day) }],
    [
      "an accepted refund",
      { ...attempt, kind: "refund", accepted_at: at(1) },
      { kind: "operation_overdue", at: at(7 * day + 1) },
    ],
  ] as const)("tells a person about %s in time", (_what, open, concern) => {
    expect(concernOf(open, byReplay)).toEqual(concern);
  });

  it("calls the acquirer for an accepted capture when a person has to be notified, and then once a day", () => {
    const accepted = { ...attempt, kind: "capture", accepted_at: at(1) } as const;
    expect(nextCallAt(accepted, byReplay, at(1))).toEqual(at(day + 1));
    expect(nextCallAt(accepted, byReplay, at(7 * day))).toEqual(at(7 * day + 1));
    expect(nextCallAt(accepted, byReplay, at(8 * day))).toEqual(at(9 * day));
  });
});
