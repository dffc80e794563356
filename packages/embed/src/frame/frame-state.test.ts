import { describe, expect, it } from "vitest";
import { afterEvent, afterLoad, type FrameChange, type FrameStatus, isPending, newStatus } from "./frame-state.ts";

const ready = { name: "ready", detail: { sessionId: "cs_one", livemode: false, expiresAt: "" } } as const;
const readyPaying = { name: "ready", detail: { ...ready.detail, isPaymentPending: true } } as const;
const submit = { name: "submit", detail: {} } as const;
const decline = {
  name: "decline",
  detail: { code: "declined", message: "No.", retryable: true, attempt: 1, attemptsLeft: 4 },
} as const;
const expire = { name: "expire", detail: {} } as const;
const error = (code: string) => ({ name: "error", detail: { code } }) as const;
const complete = (status: "complete" | "processing") =>
  ({ name: "complete", detail: { sessionId: "cs_one", status, returnUrl: null } }) as const;
const challenge = { name: "challengestart", detail: { windowSize: "05", presentation: "inline" } } as const;

type Step = FrameChange | "load";
const after = (...steps: Step[]): FrameStatus =>
  steps.reduce((status, step) => (step === "load" ? afterLoad(status) : afterEvent(status, step)), newStatus);

describe("an iframe's state", () => {
  it.each<[string, Step[]]>([
    ["loading", []],
    ["ready", [ready]],
    ["submitting", [ready, submit]],
    ["challenge", [ready, submit, challenge]],
    ["submitting", [ready, submit, challenge, { name: "challengeend", detail: { outcome: "authenticated" } }]],
    ["ready", [ready, submit, decline]],
    ["complete", [ready, submit, complete("processing")]],
    ["error", [ready, submit, error("network")]],
    ["expired", [ready, expire]],
    ["loading", [ready, submit, "load"]],
    ["ready", [ready, { name: "resize", detail: { height: 1 } }]],
  ])("is %s after %j", (state, steps) => {
    expect(after(...steps).state).toBe(state);
  });

  it("keeps the form's `ready` until the iframe loads again", () => {
    expect(after(ready, submit).ready).toBe(ready.detail);
    expect(after(ready, "load").ready).toBeNull();
  });

  it("has the last `complete` until the next attempt, or until the session expires", () => {
    const [first, second] = [complete("processing"), complete("complete")];
    expect(after(ready, submit, first).completed).toBe(first.detail);
    expect(after(ready, submit, first, "load", readyPaying, second).completed).toBe(second.detail);
    expect(after(ready, submit, first, error("network")).completed).toBe(first.detail);
    for (const step of [submit, decline, expire]) expect(after(ready, submit, first, step).completed).toBeNull();
  });

  it("is renewed until the new form is ready", () => {
    const renewed = { ...newStatus, isRenewed: true };
    expect(afterEvent(renewed, submit).isRenewed).toBe(true);
    expect(afterEvent(renewed, ready).isRenewed).toBe(false);
  });
});

describe("a payment", () => {
  it.each<[string, Step[]]>([
    ["after Pay", [submit]],
    ["when the iframe resumes a challenge", [challenge]],
    ["after a lost response", [submit, error("network")]],
    ["after a refused request", [submit, error("session_invalid")]],
    ["after the iframe was reloaded", [submit, "load"]],
    ["when the reloaded form finds it", [submit, "load", readyPaying]],
    ["when the first form finds one from another tab", ["load", readyPaying]],
    ["while the acquirer is slow", [submit, complete("processing")]],
    [
      "when the iframe was reloaded while the acquirer is slow",
      [submit, complete("processing"), "load", ready, submit],
    ],
    ["in a second attempt", [submit, complete("processing"), decline, submit]],
  ])("may still succeed %s", (_when, steps) => {
    const status = after(ready, ...steps);
    expect(isPending(status)).toBe(true);
    expect(status.paymentStatus).not.toBeNull();
  });

  it.each<[string, Step[]]>([
    ["before Pay", []],
    ["after a decline", [submit, decline]],
    ["after a slow acquirer's decline", [submit, complete("processing"), decline]],
    ["when the reloaded form finds none", [submit, "load", ready]],
    ["after the session expired", [submit, expire]],
    ["after five failed attempts", [submit, error("session_expired")]],
  ])("can't succeed %s", (_when, steps) => {
    const status = after(ready, ...steps);
    expect(isPending(status)).toBe(false);
    expect(status.paymentStatus).toBeNull();
  });

  it.each<[string, Step[]]>([
    ["at once", [complete("complete")]],
    ["after a while", [complete("processing"), complete("complete")]],
    ["before an error", [complete("complete"), error("network")]],
    ["before a reload", [complete("complete"), "load"]],
  ])("isn't pending once it succeeded %s, but was made", (_when, steps) => {
    const status = after(ready, submit, ...steps);
    expect(isPending(status)).toBe(false);
    expect(status.paymentStatus).toBe("complete");
  });

  it("remembers that the acquirer is slow when the iframe finds it in progress again", () => {
    expect(after(ready, submit, complete("processing"), "load", readyPaying, submit).paymentStatus).toBe("processing");
  });
});
