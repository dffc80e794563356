import { describe, expect, it } from "vitest";
import type { AnyFrameEvent } from "@oriel/protocol/windows";
import {
  afterEvent,
  afterLoad,
  type FrameChange,
  type FrameEffect,
  type FrameStatus,
  isPending,
  newStatus,
  transition,
} from "./frame-state.ts";

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
  steps.reduce((status, step) => (step === "load" ? { ...status, ...afterLoad } : afterEvent(status, step)), newStatus);

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

describe("an event of the iframe", () => {
  const formReady = afterEvent(newStatus, ready);
  const paid = afterEvent(formReady, complete("complete"));

  it.each<[FrameChange & { name: "ready" | "complete" | "error" | "expire" }, FrameEffect[]]>([
    [ready, ["settle", "ready"]],
    [complete("complete"), ["settle", "complete"]],
    [{ name: "error", detail: { code: "network" } }, ["settle", "error"]],
    [expire, ["settle", "expire", "renew"]],
  ])("ends the waiting for the form: $0.name", (event, effects) => {
    expect(transition(formReady, event as AnyFrameEvent, true)[1]).toEqual(effects);
  });

  it.each<AnyFrameEvent>([submit, decline, challenge, { name: "resize", detail: { height: 1 } }])(
    "is passed on, and changes the state: $name",
    (event) => {
      expect(transition(formReady, event, false)).toEqual([afterEvent(formReady, event), [event.name]]);
    },
  );

  it("is passed on once for each status of a completed payment", () => {
    expect(transition(paid, complete("complete"), false)).toEqual([paid, ["settle"]]);
    const processing = afterEvent(formReady, complete("processing"));
    expect(transition(processing, complete("complete"), false)[1]).toEqual(["settle", "complete"]);
    const another = afterEvent(paid, submit);
    expect(transition(another, complete("complete"), false)[1]).toEqual(["settle", "complete"]);
  });

  it("keeps a sandboxed iframe's state, because its failure changes it", () => {
    const sandboxed = { name: "error", detail: { code: "sandboxed" } } as const;
    expect(transition(newStatus, sandboxed, true)).toEqual([newStatus, ["sandboxed"]]);
  });

  it.each([
    ["the form was ready", formReady, false, ["settle", "expire", "renew"]],
    ["there can be another session", newStatus, true, ["settle", "expire", "renew"]],
    ["there can't be another session", newStatus, false, ["end"]],
    [
      "the renewed session's form was ready",
      afterEvent({ ...newStatus, isRenewed: true }, ready),
      true,
      ["settle", "expire", "renew"],
    ],
    ["the renewed session expired before its form was ready", { ...newStatus, isRenewed: true }, true, ["end"]],
  ])("ends an expired session for good only if there can't be a form: %s", (_when, status, canRenew, effects) => {
    const [next, done] = transition(status, expire, canRenew);
    expect(done).toEqual(effects);
    expect(next.state).toBe(done.includes("end") ? "loading" : "expired");
  });

  it("leaves the given status alone", () => {
    const before = Object.freeze({ ...formReady });
    transition(before, submit, true);
    expect(before).toEqual(formReady);
  });
});
