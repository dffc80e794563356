import { describe, expect, it } from "vitest";
import { CheckoutError } from "../api/checkout-error.ts";
import type { HolderEvent } from "../frame/checkout-frame.ts";
import { afterEvent, newStatus as newFrame } from "../frame/frame-state.ts";
import { type CheckoutEffect, type CheckoutStatus, hasPendingPayment, stateOf, transition } from "./checkout-state.ts";

const status: CheckoutStatus = { sessionUrl: null };
const ready = { sessionId: "cs_one", livemode: false, expiresAt: "" };
const complete = { sessionId: "cs_one", status: "complete", returnUrl: null } as const;
const error = (mayHavePaid: boolean) => new CheckoutError("network", "", "", mayHavePaid);
const paying = afterEvent(newFrame, { name: "submit", detail: {} });

describe("an event of the iframe", () => {
  it.each<[HolderEvent, CheckoutEffect[]]>([
    [{ type: "ready", detail: { ...ready, protocol: "1" } }, ["resolve", "ready"]],
    [{ type: "complete", detail: complete }, ["resolve", "complete", "return"]],
    [{ type: "error", detail: error(false) }, ["reject", "error"]],
    [{ type: "escape", detail: {} }, ["escape", "close"]],
    [{ type: "submit", detail: {} }, ["submit"]],
    [{ type: "title", detail: { title: "Pay" } }, ["title"]],
    [{ type: "leave", detail: {} }, ["leave"]],
    [{ type: "renew", detail: {} }, ["renew"]],
    [{ type: "evict", detail: {} }, ["evict"]],
  ])("has its effects, in order: $0.type", (event, effects) => {
    expect(transition(event)[1]).toEqual(effects);
  });

  it("asks for another session after an error, unless the customer may have paid", () => {
    expect(transition({ type: "error", detail: error(false) })[0]).toEqual({ needsAnother: true });
    expect(transition({ type: "error", detail: error(true) })[0]).toEqual({ needsAnother: false });
  });

  it.each<HolderEvent>([
    { type: "ready", detail: { ...ready, protocol: "1" } },
    { type: "complete", detail: complete },
    { type: "expire", detail: {} },
  ])("keeps the session once the iframe works again: $type", (event) => {
    expect(transition(event)[0]).toEqual({ needsAnother: false });
  });

  it.each<HolderEvent>([
    { type: "loadstart", detail: {} },
    { type: "resize", detail: { width: 1, height: 1 } },
    { type: "leave", detail: {} },
  ])("changes nothing otherwise: $type", (event) => {
    expect(transition(event)[0]).toEqual({});
  });
});

describe("a pending payment", () => {
  it("is the iframe's, and after the last iframe the one that it left", () => {
    expect(hasPendingPayment(status, null)).toBe(false);
    expect(hasPendingPayment({ ...status, wasPending: true }, null)).toBe(true);
    expect(hasPendingPayment(status, paying)).toBe(true);
    expect(hasPendingPayment({ ...status, wasPending: true }, newFrame)).toBe(false);
  });
});

describe("a checkout's state", () => {
  it.each([
    ["idle", status, null, false],
    ["loading", status, null, true],
    ["error", { ...status, needsAnother: true }, null, true],
    ["idle", { ...status, needsAnother: true }, null, false],
    ["submitting", { ...status, needsAnother: true }, paying, true],
    ["destroyed", { ...status, isDestroyed: true }, paying, true],
  ])("is %s", (state, known, frame, isMounted) => {
    expect(stateOf(known, frame, isMounted)).toBe(state);
  });
});
