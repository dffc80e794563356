/**
 * Captures, cancellations and refunds that the acquirer only accepts: what the merchant sees until a notification has
 * the outcome, and that each is sent once, whatever is lost.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { acquirerFor } from "../src/merchants/accounts/live-mode.ts";
import { readerPauseSeconds } from "../src/payments/attempts/deadlines.ts";
import { markFailed } from "../src/payments/flow/mark-failed.ts";
import { itemRetainsRest, resolveAttention } from "../src/payments/flow/resolve-by-user.ts";
import { captureFailed } from "../src/payments/notifications/late-changes.ts";
import { reportOutcome } from "../src/payments/notifications/report-outcome.ts";
import { approved, declined, startAdyenWorld, type AdyenWorld } from "./setup/adyen-outcomes.ts";
import { cardNumbers } from "./setup/customer.ts";
import { expectError, invalid } from "./setup/expect-error.ts";
import { newMerchant } from "./setup/merchant.ts";
import type { ApiResponse } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const world = await openForTests(startAdyenWorld());
afterEach(() => world.adyen.clearFaults());

const minute = 60;
const day = 24 * 60 * minute;

type Operation = "capture" | "cancel" | "refund";

let keys = 0;

/** A charge of a customer's card, ready for the operation. The test sends it under a key of its own. */
async function prepare(operation: Operation, { isDeclined = false } = {}) {
  const { merchant } = world;
  const checkout = await merchant.checkout({ capture_method: operation === "refund" ? "automatic" : "manual" });
  const card = {
    capture: cardNumbers.captureDeclined,
    refund: cardNumbers.refundDeclined,
    cancel: cardNumbers.approved,
  };
  await checkout.pay(isDeclined ? card[operation] : cardNumbers.approved);
  const id = String((await merchant.chargeOf(checkout))["id"]);
  const key = `pending-${++keys}`;
  const send = (): Promise<ApiResponse> => {
    if (operation === "capture") return merchant.capture(id, 1000, key);
    return operation === "cancel" ? merchant.cancel(id, key) : merchant.refund(id, 700, key);
  };
  return { id, checkout, send };
}

const modificationsOf = async (id: string) => {
  const { payments } = await world.atAdyen(id);
  return payments.flatMap(({ modifications }) => modifications.filter(({ reference }) => reference !== null));
};
const charge = (id: string) => world.merchant.read(`charges/${id}`);
const refund = async (id: string) => (await world.merchant.list(`refunds?charge_id=${id}`))[0];

const pending: Record<Operation, object> = {
  capture: { object: "charge", status: "authorized", pending_operation: "capture", amount_captured: 0 },
  cancel: { object: "charge", status: "authorized", pending_operation: "cancel" },
  refund: { object: "refund", status: "pending", amount: 700, failure: null },
};
const operations = ["capture", "cancel", "refund"] as const;

describe.each(operations)("a request to %s", (operation) => {
  it("responds with what is pending once the acquirer has accepted it, and again for the same key", async () => {
    const { id, send } = await prepare(operation);
    const first = await send();
    expect(first).toMatchObject({ status: 200, body: pending[operation] });
    expect(await send()).toMatchObject({ text: first.text, headers: { "idempotent-replayed": "true" } });
    expect(await world.events(id)).toHaveLength(1); // its authorization
    await world.report(id, operation);
    expect(await send()).toMatchObject({ text: first.text, headers: { "idempotent-replayed": "true" } });
    expect(await modificationsOf(id)).toHaveLength(1);
  });

  it("that was accepted isn't sent again by reads or by a worker", async () => {
    const { id, send } = await prepare(operation);
    await send();
    const callCount = async () => (await world.attempt(id, operation)).calls;
    expect(await callCount()).toBe(1);
    world.pass(readerPauseSeconds);
    expect(operation === "refund" ? await refund(id) : await charge(id)).toMatchObject(pending[operation]);
    await world.work();
    expect(await callCount()).toBe(1);
  });

  it("that the acquirer has accepted, whose response was lost, is sent again and accepted once", async () => {
    const { id, send } = await prepare(operation);
    await world.adyen.addFaults({ match: {}, fault: "error_after", times: 1 });
    expect((await send()).status).toBe(503);
    world.pass(readerPauseSeconds);
    expect(await send()).toMatchObject({ status: 200, body: pending[operation] });
    expect(await modificationsOf(id)).toHaveLength(1);
  });

  it("is accepted once if the process died between the response and its commit", async () => {
    const { id, send } = await prepare(operation);
    await world.adyen.addFaults({ match: {}, fault: "down", times: 1 });
    await send();
    const { id: reference, amount } = await world.attempt(id, operation);
    const { id: authorization, acquirer_id: acquirerId } = await world.attempt(id, "authorize");
    const acquirer = await acquirerFor(world.service.context, world.merchant.tenant, world.acquirerAccountId);
    const request = { reference, isRepeated: true, authorization: { reference: authorization, acquirerId } };
    await acquirer?.[operation]({ ...request, amount, currency: "eur" });

    world.pass(readerPauseSeconds);
    expect(await send()).toMatchObject({ status: 200, body: pending[operation] });
    const [only, ...others] = await modificationsOf(id);
    expect(others).toEqual([]);
    expect(await world.attempt(id, operation)).toMatchObject({ acquirer_id: only?.pspReference });
  });

  it("whose outcome arrives before the response has that outcome", async () => {
    const { id, send } = await prepare(operation);
    await world.adyen.addFaults({ match: { kind: operation }, fault: "late", ms: 1_000, times: 1 });
    const sent = send();
    await until("the acquirer to receive it", async () => ((await modificationsOf(id)).length === 1 ? true : null));
    expect(await world.report(id, operation)).toEqual({ reported: "settled", outcome: "approved" });
    const response = await sent;
    expect(response.status).toBe(200);
    expect(response.body).not.toMatchObject(pending[operation]);
    expect((await world.attempt(id, operation)).accepted_at).toBeNull();
    expect(await world.charge(id)).toMatchObject({
      busy_attempt_id: null,
      pending_operation: null,
      amount_refunding: 0,
    });
  });

  it("whose outcome is reported several times ends once", async () => {
    const { id, send } = await prepare(operation);
    await send();
    const reports = await Promise.all([1, 2, 3].map(() => world.report(id, operation)));
    expect(reports.map(({ reported }) => reported).sort()).toEqual(["known", "known", "settled"]);
    const object = operation === "refund" ? String((await refund(id))?.["id"]) : id;
    expect(await world.events(object)).toHaveLength(operation === "refund" ? 1 : 2);
  });

  it("that was accepted, but has no outcome after 7 days, needs attention until it has", async () => {
    const { id, send } = await prepare(operation);
    await send();
    world.pass(7 * day - minute);
    await world.work();
    expect(await world.attention(id)).toEqual([]);
    for (const seconds of [minute, day]) {
      world.pass(seconds);
      await world.work();
      expect(await world.attention(id)).toEqual(["operation_overdue open"]);
    }
    expect(await modificationsOf(id)).toHaveLength(1);
    await world.report(id, operation);
    expect(await world.attention(id)).toEqual(["operation_overdue resolved"]);
  });

  it.each([
    ["that never arrived", "down"],
    ["whose responses were lost", "error_after"],
  ] as const)("%s is sent again for 7 days, and accepted once", async (_what, fault) => {
    const { id, send } = await prepare(operation);
    await world.adyen.addFaults({ match: {}, fault });
    await send();
    world.pass(6 * day);
    await world.work();
    await world.adyen.clearFaults();
    world.pass(day - 2 * minute);
    expect(await send()).toMatchObject({ status: 200, body: pending[operation] });
    expect(await modificationsOf(id)).toHaveLength(1);
  });

  it("isn't sent anymore after 7 days, and then only a notification has the outcome", async () => {
    const { id, send } = await prepare(operation);
    await world.adyen.addFaults({ match: {}, fault: "error_after" });
    await send();
    world.pass(day - minute);
    await world.work();
    expect(await world.attention(id)).toEqual([]);
    world.pass(minute);
    await world.work();
    expect(await world.attention(id)).toEqual(["outcome_unknown open"]);
    await world.adyen.clearFaults();
    world.pass(6 * day - minute);
    await world.work();
    expect((await send()).status).toBe(503);
    expect(await world.attempt(id, operation)).toMatchObject({ status: "processing", accepted_at: null });
    expect((await world.report(id, operation)).reported).toBe("settled");
    expect(await world.attention(id)).toEqual(["outcome_unknown resolved"]);
    expect((await send()).status).toBe(200);
    expect(await modificationsOf(id)).toHaveLength(1);
  });
});

describe("a person who marks as failed", () => {
  const mark = async (id: string, operation: Operation) => {
    const { context } = world.service;
    const attempt = await world.attempt(id, operation);
    return await context.db.transaction().execute((tx) => markFailed(context, tx, attempt.id));
  };
  const failed: Record<Operation, string> = {
    capture: "charge.capture_failed 2 authorized",
    cancel: "charge.cancel_failed 2 authorized",
    refund: "refund.failed 1 failed",
  };

  it.each(operations)("a request to %s that has no response ends, and another one can be made", async (operation) => {
    const { id, send } = await prepare(operation);
    await world.adyen.addFaults({ match: {}, fault: "down" });
    await send();
    world.pass(day);
    await world.work();
    await world.adyen.clearFaults();
    expect(await mark(id, operation)).toBe(false); // it may be on its way
    world.pass(readerPauseSeconds);
    expect(await mark(id, operation)).toBe(true);
    expect(await world.attempt(id, operation)).toMatchObject({
      status: "declined",
      decline_code: "processing_error",
    });
    expect(await world.attention(id)).toEqual(["outcome_unknown resolved"]);
    expect(await world.charge(id)).toMatchObject({ busy_attempt_id: null, amount_refunding: 0 });
    const object = operation === "refund" ? String((await refund(id))?.["id"]) : id;
    expect((await world.events(object)).at(-1)).toBe(failed[operation]);
    expect(await send()).toMatchObject({ status: 402, headers: { "idempotent-replayed": "true" } });

    const { merchant } = world;
    const again = {
      capture: () => merchant.capture(id),
      cancel: () => merchant.cancel(id),
      refund: () => merchant.refund(id, 4900),
    };
    expect((await again[operation]()).status).toBe(200);
    expect(await modificationsOf(id)).toHaveLength(1);
    expect(await mark(id, operation)).toBe(true); // an accepted one whose outcome is overdue
  });
});

describe("an accepted capture", () => {
  it("captures the charge when it's done", async () => {
    const { id, checkout, send } = await prepare("capture");
    await send();
    expect(await world.ledger(id)).toEqual([]);
    expect(await world.report(id, "capture")).toEqual({ reported: "settled", outcome: "approved" });
    expect(await charge(id)).toMatchObject({ status: "succeeded", amount_captured: 1000, pending_operation: null });
    expect(await checkout.session()).toMatchObject({ status: "complete", payment_status: "paid" });
    expect(await world.events(id)).toEqual(["charge.authorized 1 authorized", "payment.succeeded 2 succeeded"]);
    expect(await world.ledger(id)).toEqual(["capture 1000"]);
  });

  it("leaves the charge authorized when it's declined, and it can be captured again", async () => {
    const { id, send } = await prepare("capture", { isDeclined: true });
    await send();
    expect(await world.report(id, "capture")).toEqual({ reported: "settled", outcome: "declined" });
    expect(await charge(id)).toMatchObject({ status: "authorized", pending_operation: null, failure: null });
    expect(await world.events(id)).toEqual(["charge.authorized 1 authorized", "charge.capture_failed 2 authorized"]);
    expect(await world.ledger(id)).toEqual([]);
    expect(await world.merchant.capture(id)).toMatchObject({ status: 200, body: { pending_operation: "capture" } });
  });

  it("makes other captures and cancellations say what the charge is waiting for", async () => {
    const { id, send } = await prepare("capture");
    await send();
    for (const response of [await world.merchant.capture(id), await world.merchant.cancel(id)]) {
      expectError(response, invalid("charge_operation_in_progress"));
      expect(response.text).toContain(`The acquirer has accepted a capture of charge ${id}`);
    }
  });
});

describe("what a partial capture leaves at an acquirer that keeps it for further captures", () => {
  let other: AdyenWorld;
  beforeAll(async () => void (other = await startAdyenWorld({ multiplePartialCaptures: true })));
  afterAll(() => other.close());

  /** A charge whose capture the acquirer has accepted, and will carry out. */
  async function capture(amount?: number): Promise<string> {
    const id = String((await other.merchant.charge("pm_card_visa", { capture_method: "manual" })).body["id"]);
    await other.merchant.capture(id, amount);
    return id;
  }
  const reserved = async (id: string) => (await other.atAdyen(id)).balances["EUR"];
  const run = async () => {
    other.pass(minute);
    await other.work();
  };

  it("is canceled once the capture is reported, by an attempt with its own outcome", async () => {
    const id = await capture(1000);
    await run();
    expect(await reserved(id)).toEqual({ reserved: 3900, merchant: 1000 });
    await other.report(id, "capture");
    const before = { charge: await other.charge(id), events: await other.events(id) };
    expect(before).toMatchObject({ charge: { status: "succeeded", amount_captured: 1000, busy_attempt_id: null } });
    await run();
    expect(await other.attempt(id, "cancel")).toMatchObject({ status: "processing", amount: 3900 });
    expect((await other.attempt(id, "cancel")).accepted_at).not.toBeNull();
    await Promise.all([1, 2].map(() => other.report(id, "cancel")));
    expect(await other.attempt(id, "cancel")).toMatchObject({ status: "approved" });
    expect(await reserved(id)).toEqual({ reserved: 0, merchant: 1000 });
    expect({ charge: await other.charge(id), events: await other.events(id) }).toEqual(before);
    expect(await other.ledger(id)).toEqual(["capture 1000"]);
    expect(await other.attention(id)).toEqual([]);
  });

  it("is canceled if the capture is done after it was reported as declined", async () => {
    const id = await capture(1000);
    await run();
    const { acquirer_id } = await other.attempt(id, "capture");
    await reportOutcome(other.service.context, await other.attempt(id, "capture"), declined(acquirer_id));
    expect((await other.report(id, "capture")).reported).toBe("recovered");
    await run();
    expect(await other.attempt(id, "cancel")).toMatchObject({ amount: 3900 });
    expect(await reserved(id)).toEqual({ reserved: 0, merchant: 1000 });
  });

  it("is canceled if the capture's failure is reported before its success", async () => {
    const id = await capture(1000);
    const { context } = other.service;
    const attempt = await other.attempt(id, "capture");
    await context.db.transaction().execute((tx) => captureFailed(context, tx, attempt, { retainsRest: true }));
    expect(await other.charge(id)).toMatchObject({ status: "failed" });
    await run();
    expect(await other.attempt(id, "cancel")).toMatchObject({ status: "processing", amount: 3900 });
    await run();
    expect(await reserved(id)).toMatchObject({ reserved: 0 });
  });

  it("is canceled if the capture is done after all, and a person marks a later one as failed", async () => {
    const id = await capture(1000);
    const first = await other.attempt(id, "capture");
    await reportOutcome(other.service.context, first, declined(first.acquirer_id));
    await other.adyen.addFaults({ match: { kind: "capture" }, fault: "down" });
    await other.merchant.capture(id, 1000);
    other.pass(day);
    await other.work();
    await other.adyen.clearFaults();
    await reportOutcome(other.service.context, first, approved(String(first.acquirer_id)));
    expect(await other.charge(id)).toMatchObject({ status: "authorized" });
    const { context } = other.service;
    const { tenant } = other.merchant;
    const items = context.db.selectFrom("attention").selectAll().where("charge_id", "=", id);
    const item = await items.where("kind", "=", "outcome_unknown").executeTakeFirstOrThrow();
    other.pass(readerPauseSeconds);
    const options = {
      loginId: "a person",
      markFailed: true,
      retainsRest: await itemRetainsRest(context, tenant, item.id),
    };
    await context.db.transaction().execute((tx) => resolveAttention(context, tx, tenant, item.id, options));
    expect(await other.charge(id)).toMatchObject({ status: "succeeded", amount_captured: 1000 });
    await run();
    expect(await reserved(id)).toEqual({ reserved: 0, merchant: 1000 });
  });

  it("is canceled if the capture is done after all, and a later one fails before its success", async () => {
    const id = await capture(1000);
    const first = await other.attempt(id, "capture");
    await reportOutcome(other.service.context, first, declined(first.acquirer_id));
    await other.merchant.capture(id);
    await reportOutcome(other.service.context, first, approved(String(first.acquirer_id)));
    const { context } = other.service;
    const second = await other.attempt(id, "capture");
    await context.db.transaction().execute((tx) => captureFailed(context, tx, second, { retainsRest: true }));
    expect(await other.charge(id)).toMatchObject({ status: "succeeded", amount_captured: 1000 });
    expect(await other.attempt(id, "cancel")).toMatchObject({ amount: 3900 });
  });

  it("raises an item of its own if its cancellation has no outcome", async () => {
    const id = await capture(1000);
    await other.report(id, "capture");
    await run();
    other.pass(8 * 24 * 60 * minute);
    await other.work();
    const items = other.service.context.db
      .selectFrom("attention")
      .select(["kind", "details"])
      .where("charge_id", "=", id);
    expect(await items.execute()).toMatchObject([{ kind: "operation_overdue", details: { operation: "release" } }]);
  });

  it("raises an item if it can't be canceled", async () => {
    const id = await capture(1000);
    await other.report(id, "capture");
    await run();
    const { acquirer_id } = await other.attempt(id, "cancel");
    const report = async () =>
      await reportOutcome(other.service.context, await other.attempt(id, "cancel"), declined(acquirer_id));
    expect([await report(), await report()]).toEqual(["settled", "known"]);
    expect(await other.attention(id)).toEqual(["rest_not_released open"]);
    expect(await other.charge(id)).toMatchObject({ status: "succeeded", amount_captured: 1000 });
    expect(await other.events(id)).toEqual(["charge.authorized 1 authorized", "payment.succeeded 2 succeeded"]);
  });

  it("is nothing if the capture was for the whole amount", async () => {
    const id = await capture();
    await other.report(id, "capture");
    await run();
    expect((await other.attempts(id)).map(({ kind }) => kind)).toEqual(["authorize", "capture"]);
  });

  it("is left to an acquirer that releases it", async () => {
    const { id, send } = await prepare("capture");
    await send();
    await world.report(id, "capture");
    world.pass(minute);
    await world.work();
    expect((await world.attempts(id)).map(({ kind }) => kind)).toEqual(["authorize", "capture"]);
    expect((await world.atAdyen(id)).balances).toEqual({ EUR: { reserved: 0, merchant: 1000 } });
  });
});

describe("an accepted cancellation", () => {
  it("cancels the charge when it's done", async () => {
    const { id, checkout, send } = await prepare("cancel");
    await send();
    const response = await world.merchant.capture(id);
    expectError(response, invalid("charge_operation_in_progress"));
    expect(response.text).toContain(`The acquirer has accepted a cancellation of charge ${id}`);
    expect(await world.report(id, "cancel")).toEqual({ reported: "settled", outcome: "approved" });
    expect(await charge(id)).toMatchObject({ status: "canceled", pending_operation: null });
    expect(await checkout.session()).toMatchObject({ payment_status: "unpaid" });
    expect(await world.events(id)).toEqual(["charge.authorized 1 authorized", "charge.canceled 2 canceled"]);
    expect((await world.atAdyen(id)).balances).toEqual({ EUR: { reserved: 0, merchant: 0 } });
  });
});

describe("an accepted refund", () => {
  it("reserves its amount until it's done", async () => {
    const { id, send } = await prepare("refund");
    const { body } = await send();
    expect(await charge(id)).toMatchObject({ amount_refunded: 0 });
    expectError(await world.merchant.refund(id, 4201, `more-${id}`), invalid("amount_too_large", "amount"));
    expect(await world.report(id, "refund")).toEqual({ reported: "settled", outcome: "approved" });
    expect(await charge(id)).toMatchObject({ amount_refunded: 700 });
    expect(await refund(id)).toMatchObject({ status: "succeeded" });
    expect(await world.events(String(body["id"]))).toEqual(["refund.succeeded 1 succeeded"]);
    expect(await world.ledger(id)).toEqual(["capture 4900", "refund -700"]);
  });

  it("makes its amount available again when it's declined", async () => {
    const { id, send } = await prepare("refund", { isDeclined: true });
    const { body } = await send();
    expect(await world.report(id, "refund")).toEqual({ reported: "settled", outcome: "declined" });
    expect(await charge(id)).toMatchObject({ amount_refunded: 0 });
    expect(await refund(id)).toMatchObject({ status: "failed", failure: { decline_code: "generic_decline" } });
    expect(await world.events(String(body["id"]))).toEqual(["refund.failed 1 failed"]);
    expect(await world.ledger(id)).toEqual(["capture 4900"]);
    expect(await world.merchant.refund(id, 4900, `again-${id}`)).toMatchObject({ status: 200 });
  });
});

it("an attempt waits for an acquirer account that can't be opened, and an item is raised once until that's resolved", async () => {
  const { service, adyen } = world;
  const merchant = await newMerchant(service);
  const id = await adyen.connect(service, merchant.tenant);
  const { body } = await merchant.charge("pm_card_visa");
  await adyen.addFaults({ match: { kind: "refund" }, fault: "down" });
  expect((await merchant.refund(String(body["id"]), 1000)).status).toBe(503);
  const { db, acquirerAccounts } = service.context;
  await db.updateTable("acquirer_account").set({ credentials_version: "none" }).where("id", "=", id).execute();
  acquirerAccounts.forget(id);
  const kindsAfter = async (afterMinutes: number) => {
    world.pass(afterMinutes * minute);
    await world.work();
    return await db.selectFrom("attention").selectAll().where("subject", "like", `${id}%`).orderBy("id").execute();
  };

  expect(await kindsAfter(1)).toEqual([]);
  const item = { kind: "acquirer_unusable", subject: id, details: { acquirer_account: id } };
  for (let i = 0; i < 3; i++) expect(await kindsAfter(5)).toMatchObject([item]);
  await db.updateTable("attention").set({ resolved_at: new Date() }).where("subject", "=", id).execute();
  expect(await kindsAfter(60)).toMatchObject([{ kind: "acquirer_unusable" }, { ...item, resolved_at: null }]);
  expect((await merchant.list("refunds"))[0]).toMatchObject({ status: "processing" });
});

it.each(["capture", "refund"] as const)("a %s that succeeds after it was declined has succeeded", async (kind) => {
  const { id, send } = await prepare(kind, { isDeclined: true });
  await send();
  await world.report(id, kind);
  const attempt = await world.attempt(id, kind);
  const report = () => reportOutcome(world.service.context, attempt, approved(attempt.acquirer_id ?? ""));
  expect([await report(), await report()]).toEqual(["recovered", "known"]);
  const { status, amount_captured, amount_refunded } = await world.charge(id);
  expect({ status, amount_captured, amount_refunded }).toEqual(
    kind === "capture"
      ? { status: "succeeded", amount_captured: 1000, amount_refunded: 0 }
      : { status: "succeeded", amount_captured: 4900, amount_refunded: attempt.amount },
  );
  expect(await world.ledger(id)).toContain(`${kind} ${kind === "capture" ? 1000 : -attempt.amount}`);
  expect(await world.attention(id)).toEqual([`${kind}${kind === "capture" ? "d" : "ed"}_again open`]);
});

it("a decline that contradicts how the attempt ended changes nothing", async () => {
  const { id } = await prepare("capture");
  const before = await world.charge(id);
  const authorization = await world.attempt(id, "authorize");
  const decline = declined(authorization.acquirer_id);
  expect(await reportOutcome(world.service.context, authorization, decline)).toBe("contradicts");
  expect(await world.charge(id)).toEqual(before);
});
