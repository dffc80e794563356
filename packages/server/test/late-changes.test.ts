/**
 * Captures and refunds that fail at the acquirer after they succeeded, or before their outcome is known, and
 * authorizations that expire. The ledger's entries about failures are written by the code that reads notifications
 * (`notifications/`), so they're added here.
 */
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import type { FinalOutcome } from "../src/payments/attempts/final-reply.ts";
import { enterInLedger } from "../src/payments/ledger/enter.ts";
import { holdReleased, captureFailed, refundFailed } from "../src/payments/notifications/late-changes.ts";
import { reportOutcome } from "../src/payments/notifications/report-outcome.ts";
import type { Tx } from "../src/platform/storage/database.ts";
import { approved, declined, startAdyenWorld } from "./setup/adyen-outcomes.ts";
import { cardNumbers } from "./setup/customer.ts";
import { expectError, invalid } from "./setup/expect-error.ts";

const world = await openForTests(startAdyenWorld());

const minute = 60;

function inTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return world.service.context.db.transaction().execute(work);
}

/** A customer's payment. */
async function pay(capture_method: "automatic" | "manual") {
  const checkout = await world.merchant.checkout({ capture_method });
  await checkout.pay(cardNumbers.approved);
  return { checkout, id: String((await world.merchant.chargeOf(checkout))["id"]) };
}

async function captured() {
  const { id, checkout } = await pay("manual");
  await world.merchant.capture(id, 3000);
  await world.report(id, "capture");
  return { id, checkout };
}

async function refunded(amount = 700) {
  const { id } = await pay("automatic");
  const refundId = String((await world.merchant.refund(id, amount)).body["id"]);
  await world.report(id, "refund");
  return { id, refundId };
}

/** What the code that reads notifications does about a failed capture or refund. */
async function fail(id: string, kind: "capture" | "authorize" | "refund") {
  const attempt = await world.attempt(id, kind);
  const { id: attemptId, acquirer_id, amount } = attempt;
  const isRefund = kind === "refund";
  const entry = isRefund
    ? ({ kind: "refund_failed", amount } as const)
    : ({ kind: "capture_failed", amount: -amount } as const);
  const about = { chargeId: id, reference: acquirer_id ?? "", currency: "eur", attemptId };
  const { context } = world.service;
  return await inTransaction(async (tx) => {
    await enterInLedger(tx, world.merchant.tenant, { ...about, ...entry }, context.now());
    return await (isRefund ? refundFailed : captureFailed)(context, tx, attempt);
  });
}

describe("a capture that fails after it was done", () => {
  it.each(["a capture", "an authorization with capture"] as const)("fails the charge of %s, once", async (what) => {
    const isManual = what === "a capture";
    const { id, checkout } = isManual ? await captured() : await pay("automatic");
    const kind = isManual ? "capture" : "authorize";
    expect([await fail(id, kind), await fail(id, kind)]).toEqual(["failed", "known"]);
    expect(await world.merchant.read(`charges/${id}`)).toMatchObject({
      status: "failed",
      amount_captured: 0,
      failure: { decline_code: "processing_error" },
    });
    expect(await checkout.session()).toMatchObject({ status: "complete", payment_status: "unpaid" });
    const events = await world.merchant.events(id);
    expect(events.at(-1)).toMatchObject({
      type: "charge.capture_failed",
      data: { object: { status: "failed", failure: { code: "card_declined" }, session: { payment_status: "unpaid" } } },
    });
    expect(events).toHaveLength(isManual ? 3 : 2);
    expect(await world.attention(id)).toEqual(["capture_failed_late open"]);
    expectError(await world.merchant.refund(id), invalid("charge_not_refundable", "charge_id"));
  });

  it.each(["done", "pending"])("keeps a charge with a refund that is %s, so only the ledger changes", async (state) => {
    const { id } = await captured();
    await world.merchant.refund(id, 500);
    const settle = { done: () => world.report(id, "refund"), pending: () => Promise.resolve() }[state];
    await settle?.();
    const before = await world.charge(id);
    const events = await world.events(id);
    expect([await fail(id, "capture"), await fail(id, "capture")]).toEqual(["in_ledger", "known"]);
    expect(await world.charge(id)).toEqual(before);
    expect(await world.events(id)).toEqual(events);
    expect(await world.ledger(id)).toContain("capture_failed -3000");
    expect(await world.attention(id)).toEqual(["capture_failed_late open"]);
  });
});

describe("a capture that fails before its outcome is known", () => {
  it("ends as declined and fails the charge, and its outcome only adds to the ledger", async () => {
    const { id, checkout } = await pay("manual");
    await world.merchant.capture(id, 3000);
    expect([await fail(id, "capture"), await fail(id, "capture")]).toEqual(["ended", "known"]);
    expect(await world.charge(id)).toMatchObject({
      status: "failed",
      decline_code: "processing_error",
      amount_captured: 0,
      busy_attempt_id: null,
      pending_operation: null,
    });
    expect(await checkout.session()).toMatchObject({ status: "complete", payment_status: "unpaid" });
    const events = ["charge.authorized 1 authorized", "charge.capture_failed 2 failed"];
    expect(await world.events(id)).toEqual(events);
    expect(await world.report(id, "capture")).toEqual({ reported: "known", outcome: "approved" });
    expect(await world.events(id)).toEqual(events);
    expect(await world.ledger(id)).toEqual(["capture 3000", "capture_failed -3000"]);
    expect(await world.attention(id)).toEqual([]);
  });

  it("of a payment that's captured at once fails the payment, which isn't undone when it's approved", async () => {
    const { merchant, adyen } = world;
    const checkout = await merchant.checkout();
    await adyen.addFaults({ match: { kind: "authorization" }, fault: "error_after" });
    await checkout.pay(cardNumbers.approved);
    await adyen.clearFaults();
    const id = String((await merchant.chargeOf(checkout))["id"]);
    expect(await fail(id, "authorize")).toBe("ended");
    expect(await world.charge(id)).toMatchObject({ status: "failed" });
    expect((await world.report(id, "authorize")).reported).toBe("undone");
    await world.work();
    expect((await world.attempts(id)).map(({ kind }) => kind)).toEqual(["authorize"]);
    expect(await world.ledger(id)).toEqual(["capture 4900", "capture_failed -4900"]);
  });
});

/** A charge whose approval came too late. Its refund has been sent. */
async function approvedTooLate() {
  const { merchant, adyen } = world;
  const checkout = await merchant.checkout();
  await adyen.addFaults({ match: { kind: "authorization" }, fault: "error_after" });
  await checkout.pay(cardNumbers.approved);
  await adyen.clearFaults();
  const id = String((await merchant.chargeOf(checkout))["id"]);
  world.pass(9 * minute);
  await world.work();
  await world.report(id, "reverse", "reference");
  await world.report(id, "authorize");
  await world.work();
  return id;
}

describe("the capture of a payment that was approved too late", () => {
  const refund = async (id: string, outcome: FinalOutcome) =>
    await reportOutcome(world.service.context, await world.attempt(id, "reverse", "refund"), outcome);

  it.each([
    ["before", [], []],
    ["after", ["reversal_failed open"], ["reversal_failed resolved"]],
  ] as const)("needs no attention in the end if it fails %s its refund does", async (order, kinds, resolved) => {
    const id = await approvedTooLate();
    const failures = [
      () => fail(id, "authorize"),
      async () => {
        expect(await refund(id, declined("REFUSED"))).toBe("settled");
        expect(await world.attention(id)).toEqual(kinds);
      },
    ];
    for (const happen of order === "before" ? failures : failures.toReversed()) await happen();
    expect(await world.attention(id)).toEqual(resolved);
    expect(await world.ledger(id)).toEqual(["capture 4900", "capture_failed -4900"]);
    expect(await fail(id, "authorize")).toBe("known");
  });

  it.each(["after", "before"])("fails %s the customer was refunded, so a person has to look", async (order) => {
    const id = await approvedTooLate();
    const outcomes = [
      async () => expect(await refund(id, approved("REFUNDED"))).toBe("settled"),
      async () => void (await fail(id, "authorize")),
    ];
    for (const happen of order === "after" ? outcomes : outcomes.toReversed()) await happen();
    expect(await fail(id, "authorize")).toBe("known");
    expect(await world.attention(id)).toEqual(["capture_failed_late open"]);
    expect(await world.ledger(id)).toEqual(["capture 4900", "capture_failed -4900", "refund -4900"]);
  });
});

describe("a refund that fails after it was done", () => {
  it("has failed, and its amount can be refunded again", async () => {
    const { id, refundId } = await refunded();
    expect([await fail(id, "refund"), await fail(id, "refund")]).toEqual(["failed", "known"]);
    expect(await world.merchant.read(`refunds/${refundId}`)).toMatchObject({
      status: "failed",
      failure: { decline_code: "processing_error" },
    });
    expect(await world.charge(id)).toMatchObject({ status: "succeeded", amount_refunded: 0 });
    expect(await world.events(refundId)).toEqual(["refund.succeeded 1 succeeded", "refund.failed 2 failed"]);
    expect(await world.ledger(id)).toEqual(["capture 4900", "refund -700", "refund_failed 700"]);
    expect(await world.attention(id)).toEqual(["refund_failed_late open"]);
    expect(await world.merchant.refund(id, 4900)).toMatchObject({ status: 200, body: { status: "pending" } });
  });

  it("lowers the refunded amount only by its own", async () => {
    const { id } = await refunded(700);
    await world.merchant.refund(id, 300);
    await world.report(id, "refund");
    await fail(id, "refund");
    expect(await world.charge(id)).toMatchObject({ amount_refunded: 700, amount_refunding: 0 });
  });

  it("ends as declined if its outcome isn't known yet", async () => {
    const { id } = await pay("automatic");
    const refundId = String((await world.merchant.refund(id, 700)).body["id"]);
    expect([await fail(id, "refund"), await fail(id, "refund")]).toEqual(["ended", "known"]);
    expect(await world.report(id, "refund")).toEqual({ reported: "known", outcome: "approved" });
    expect(await world.events(refundId)).toEqual(["refund.failed 1 failed"]);
    expect(await world.charge(id)).toMatchObject({ amount_refunded: 0, amount_refunding: 0 });
    expect(await world.ledger(id)).toEqual(["capture 4900", "refund -700", "refund_failed 700"]);
  });

  it("tells a person if it refunded a late approval, because the customer has paid for nothing", async () => {
    const { service } = world;
    const id = await approvedTooLate();
    await world.report(id, "reverse", "refund");
    await world.work();
    const reversal = await world.attempt(id, "reverse", "refund");
    expect(reversal).toMatchObject({ status: "approved" });
    const failed = () => inTransaction((tx) => refundFailed(service.context, tx, reversal));
    expect([await failed(), await failed()]).toEqual(["in_ledger", "known"]);
    expect(await world.attention(id)).toEqual(["reversal_failed open"]);
  });
});

describe("an authorization that expires", () => {
  const expire = (id: string) => inTransaction((tx) => holdReleased(world.service.context, tx, id));

  it("cancels the charge, once", async () => {
    const { id, checkout } = await pay("manual");
    expect([await expire(id), await expire(id)]).toEqual(["canceled", "known"]);
    expect(await world.charge(id)).toMatchObject({ status: "canceled" });
    expect(await checkout.session()).toMatchObject({ payment_status: "unpaid" });
    expect(await world.events(id)).toEqual(["charge.authorized 1 authorized", "charge.canceled 2 canceled"]);
  });

  it("has to wait for a capture that's in progress", async () => {
    const { id } = await pay("manual");
    await world.merchant.capture(id);
    expect(await expire(id)).toBe("busy");
    await world.report(id, "capture");
    expect(await expire(id)).toBe("known");
    expect(await world.charge(id)).toMatchObject({ status: "succeeded" });
  });
});
