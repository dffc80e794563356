/**
 * Tests captures and refunds that fail at the acquirer after they had succeeded, or before their success is reported, and
 * that succeed again after that: the charge, the refund, the session, events, the ledger, and what a person is told.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { markFailed } from "../src/payments/flow/mark-failed.ts";
import { reportOutcome } from "../src/payments/flow/report-outcome.ts";
import { operationOf } from "../src/payments/notifications/find-attempts.ts";
import { ownerColumns } from "../src/platform/tenant.ts";
import { signedNotification, type AdyenBank, type NotificationItem } from "./setup/adyen.ts";
import { approved } from "./setup/adyen-outcomes.ts";
import { summarize } from "./setup/merchant.ts";
import {
  itemAbout,
  itemOf,
  processUntilDone,
  startNotifying,
  startSilentAdyen,
  type Notifying,
} from "./setup/notifying.ts";
import type { TestService } from "./setup/test-service.ts";

let adyen: AdyenBank;
let service: TestService;
let shop: Notifying;
let close: () => Promise<void>;
beforeAll(async () => void ({ adyen, service, close } = await startSilentAdyen()));
afterAll(() => close());
beforeEach(async () => void (shop = await startNotifying(service, adyen)));

const manual = { capture_method: "manual" };
const read = (id: string) => shop.merchant.read(`charges/${id}`);

async function captured() {
  const pending = await shop.pendingCapture();
  await shop.notify(itemAbout(pending.capture, pending.authorization, "CAPTURE"));
  return pending;
}

async function refunded(amount: number) {
  const { id, authorization } = await shop.charge();
  const refundId = String((await shop.merchant.refund(id, amount)).body["id"]);
  const refund = await shop.latest(id);
  await shop.notify(itemAbout(refund, authorization, "REFUND"));
  return { id, authorization, refund, refundId };
}

describe("a capture that fails after it had succeeded", () => {
  it("fails the charge, once however often it's reported", async () => {
    const { id, authorization, capture } = await captured();
    const failed = itemAbout(capture, authorization, "CAPTURE_FAILED");
    await shop.notify(failed, failed);
    expect(await read(id)).toMatchObject({
      status: "failed",
      amount_captured: 0,
      failure: { decline_code: "processing_error" },
    });
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur", "capture_failed -4900 eur"]);
    expect(summarize(await shop.merchant.events(id))).toEqual([
      "charge.authorized 1 authorized",
      "payment.succeeded 2 succeeded",
      "charge.capture_failed 3 failed",
    ]);
    expect(await shop.attention()).toMatchObject([{ kind: "capture_failed_late", charge_id: id }]);
  });

  it("fails the charge if its reference is the capture's own", async () => {
    const { id, authorization, capture } = await captured();
    await shop.notify(itemAbout(capture, authorization, "CAPTURE_FAILED", { merchantReference: capture.id }));
    expect(await read(id)).toMatchObject({ status: "failed", amount_captured: 0 });
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur", "capture_failed -4900 eur"]);
  });

  it("fails a charge that was captured at once, by the ID of a capture that we never saw", async () => {
    const { id, authorization } = await shop.charge();
    await shop.notify(itemOf(authorization, "CAPTURE_FAILED"));
    expect(await read(id)).toMatchObject({ status: "failed", amount_captured: 0 });
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur", "capture_failed -4900 eur"]);
  });

  it("fails a charge that was captured at once if the capture is reported as declined", async () => {
    const { id, authorization } = await shop.charge();
    await shop.notify(itemOf(authorization, "CAPTURE", { success: "false" }));
    expect(await read(id)).toMatchObject({ status: "failed", amount_captured: 0 });
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur", "capture_failed -4900 eur"]);
  });

  it("leaves a charge that was partly refunded, and a person is told", async () => {
    const { id, authorization, refund } = await refunded(1000);
    await shop.notify(itemOf(authorization, "CAPTURE_FAILED"));
    expect(refund.status).toBe("processing");
    expect(await read(id)).toMatchObject({ status: "succeeded", amount_captured: 4900, amount_refunded: 1000 });
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur", "capture_failed -4900 eur", "refund -1000 eur"]);
    expect(await shop.attention()).toMatchObject([{ kind: "capture_failed_late", charge_id: id }]);
  });

  it.each(["CAPTURE_FAILED REFUND_FAILED", "REFUND_FAILED CAPTURE_FAILED"])(
    "fails a charge whose refund fails too, in any order: %s",
    async (order) => {
      const { id, authorization, refund } = await refunded(4900);
      const items = {
        CAPTURE_FAILED: itemOf(authorization, "CAPTURE_FAILED"),
        REFUND_FAILED: itemAbout(refund, authorization, "REFUND_FAILED"),
      };
      for (const eventCode of order.split(" ")) await shop.notify(items[eventCode as keyof typeof items]);
      expect(await read(id)).toMatchObject({ status: "failed", amount_captured: 0, amount_refunded: 0 });
      expect(summarize(await shop.merchant.events(id))).toEqual([
        "payment.succeeded 1 succeeded",
        "charge.capture_failed 2 failed",
      ]);
      expect((await shop.merchant.refund(id, 4900)).status).toBe(400);
    },
  );

  it("fails a charge whose pending refund is declined after that", async () => {
    const { id, authorization } = await shop.charge();
    await shop.merchant.refund(id, 4900);
    const refund = await shop.latest(id);
    await shop.notify(itemOf(authorization, "CAPTURE_FAILED"));
    expect(await read(id)).toMatchObject({ status: "succeeded" });
    await shop.notify(itemAbout(refund, authorization, "REFUND", { success: "false" }));
    expect(await read(id)).toMatchObject({ status: "failed", amount_captured: 0 });
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur", "capture_failed -4900 eur"]);
  });

  it("changes nothing if its amount differs, and a person is told", async () => {
    const { id, authorization, capture } = await captured();
    const amount = { value: 100, currency: "EUR" };
    await shop.notify(itemAbout(capture, authorization, "CAPTURE_FAILED", { amount }));
    expect(await read(id)).toMatchObject({ status: "succeeded" });
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur"]);
    expect(await shop.attention()).toMatchObject([{ kind: "unexpected_notification", charge_id: id }]);
  });
});

describe("a capture whose failure is reported first", () => {
  it.each(["CAPTURE_FAILED CAPTURE", "CAPTURE CAPTURE_FAILED"])("leaves nothing in the ledger: %s", async (order) => {
    const { id, authorization } = await shop.charge(manual);
    await shop.merchant.capture(id);
    const capture = await shop.latest(id);
    for (const eventCode of order.split(" ")) await shop.notify(itemAbout(capture, authorization, eventCode));
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur", "capture_failed -4900 eur"]);
    expect(await read(id)).toMatchObject({ status: "failed", amount_captured: 0, pending_operation: null });
    expect((await shop.merchant.events(id)).at(-1)).toMatchObject({
      type: "charge.capture_failed",
      data: { object: { status: "failed" } },
    });
    expect((await shop.stored()).toSorted()).toEqual(["CAPTURE processed", "CAPTURE_FAILED processed"]);
  });
});

describe("a refund that fails after it had succeeded", () => {
  it.each([
    ["REFUND_FAILED", "refund_failed"],
    ["REFUNDED_REVERSED", "refund_reversed"],
  ])("is failed by %s, and its amount can be refunded again", async (eventCode, kind) => {
    const { id, authorization, refund, refundId } = await refunded(4900);
    const failed = itemAbout(refund, authorization, eventCode);
    await shop.notify(failed, failed);
    expect(await shop.merchant.read(`refunds/${refundId}`)).toMatchObject({ status: "failed" });
    expect(await read(id)).toMatchObject({ status: "succeeded", amount_refunded: 0 });
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur", "refund -4900 eur", `${kind} 4900 eur`]);
    const events = summarize(await shop.merchant.events(refundId));
    expect(events).toEqual(["refund.succeeded 1 succeeded", "refund.failed 2 failed"]);
    expect(await shop.attention()).toMatchObject([{ kind: "refund_failed_late", charge_id: id }]);
    expect((await shop.merchant.refund(id, 4900)).body).toMatchObject({ status: "pending" });
  });

  it.each(["REFUND_FAILED REFUND", "REFUND REFUND_FAILED"])("ends the same in any order: %s", async (order) => {
    const { id, authorization } = await shop.charge();
    const refundId = String((await shop.merchant.refund(id, 4900)).body["id"]);
    const refund = await shop.latest(id);
    for (const eventCode of order.split(" ")) await shop.notify(itemAbout(refund, authorization, eventCode));
    expect(await shop.merchant.read(`refunds/${refundId}`)).toMatchObject({ status: "failed" });
    expect(await read(id)).toMatchObject({ amount_refunded: 0 });
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur", "refund -4900 eur", "refund_failed 4900 eur"]);
  });

  it("is told about if no refund has its ID", async () => {
    const { id, authorization, refund } = await refunded(4900);
    await shop.notify(itemAbout(refund, authorization, "REFUND_FAILED", { pspReference: "ANOTHERREFERENCE" }));
    await processUntilDone(service);
    expect(await read(id)).toMatchObject({ amount_refunded: 4900 });
    expect(await shop.attention()).toMatchObject([{ kind: "unexpected_notification", charge_id: id }]);
  });
});

describe("a payment of a session whose capture fails later", () => {
  it("makes the session unpaid", async () => {
    const checkout = await shop.merchant.checkout();
    await checkout.pay("4242424242424242");
    expect(await checkout.session()).toMatchObject({ payment_status: "paid" });
    const charge = await shop.merchant.chargeOf(checkout);
    const authorization = await shop.latest(String(charge["id"]));
    await shop.notify(itemOf(authorization, "CAPTURE_FAILED"));
    expect(await checkout.session()).toMatchObject({ payment_status: "unpaid" });
    expect(await read(String(charge["id"]))).toMatchObject({ status: "failed" });
  });
});

async function resolveAll() {
  const { db, now } = service.context;
  const open = db.updateTable("attention").where("account_no", "=", shop.merchant.tenant.accountNo);
  await open.set({ resolved_at: now() }).execute();
}

/** Sends each item once the one before is processed. */
async function inOrder(...items: NotificationItem[]) {
  for (const item of items) await shop.notify(item);
}

describe("a capture that succeeds again after it had failed", () => {
  const repetitions = {
    "the same ID": { reason: "Transaction Recaptured" },
    "another ID": { pspReference: "PSPOFTHERECAPTUR", reason: "Transaction Auto-recaptured" },
    "another ID, without saying so": { pspReference: "PSPOFTHERECAPTUR" },
  };
  const names = Object.keys(repetitions) as (keyof typeof repetitions)[];
  const kindsOf = async () => (await shop.attention()).map(({ kind }) => kind);
  const repeatedLedger = ["capture 4900 eur", "capture_failed -4900 eur", "capture_repeated 4900 eur"];

  it.each(names)("makes the charge succeed again, once, and a person is told: %s", async (name) => {
    const { id, authorization, capture } = await captured();
    const again = itemAbout(capture, authorization, "CAPTURE", repetitions[name]);
    await inOrder(itemAbout(capture, authorization, "CAPTURE_FAILED"), again, again);
    expect(await read(id)).toMatchObject({ status: "succeeded", amount_captured: 4900, failure: null });
    expect(await shop.ledger(id)).toEqual(repeatedLedger);
    expect(summarize(await shop.merchant.events(id))).toEqual([
      "charge.authorized 1 authorized",
      "payment.succeeded 2 succeeded",
      "charge.capture_failed 3 failed",
      "payment.succeeded 4 succeeded",
    ]);
    expect(await kindsOf()).toEqual(["capture_failed_late", "captured_again"]);
    expect((await shop.merchant.refund(id, 4900)).body).toMatchObject({ status: "pending" });
  });

  it.each(names)("makes a charge succeed again that was captured at once: %s", async (name) => {
    const { id, authorization } = await shop.charge();
    const about = { pspReference: "PSPOFTHECAPTURE1" };
    await inOrder(
      itemOf(authorization, "CAPTURE_FAILED", about),
      itemOf(authorization, "CAPTURE", { ...about, ...repetitions[name] }),
    );
    expect(await read(id)).toMatchObject({ status: "succeeded", amount_captured: 4900 });
    expect(await shop.ledger(id)).toEqual(repeatedLedger);
    expect(await kindsOf()).toEqual(["capture_failed_late", "captured_again"]);
  });

  it.each(names)("makes a charge succeed whose failure was reported first: %s", async (name) => {
    const { id, authorization, capture } = await shop.pendingCapture();
    await shop.notify(itemAbout(capture, authorization, "CAPTURE_FAILED"));
    await shop.notify(itemAbout(capture, authorization, "CAPTURE", repetitions[name]));
    await shop.notify(itemAbout(capture, authorization, "CAPTURE"));
    expect(await read(id)).toMatchObject({ status: "succeeded", amount_captured: 4900 });
    expect(await shop.ledger(id)).toEqual(repeatedLedger);
    expect(await kindsOf()).toEqual(["captured_again"]);
  });

  it("is found by its ID if it has the payment's reference", async () => {
    const { id, authorization, capture } = await captured();
    const merchantReference = authorization.id;
    await inOrder(
      itemAbout(capture, authorization, "CAPTURE_FAILED"),
      itemAbout(capture, authorization, "CAPTURE", { merchantReference, ...repetitions["the same ID"] }),
    );
    expect(await read(id)).toMatchObject({ status: "succeeded", amount_captured: 4900 });
    expect(await shop.ledger(id)).toEqual(repeatedLedger);
    expect(await kindsOf()).toEqual(["capture_failed_late", "captured_again"]);
  });

  it("keeps the charge if that's reported before the failure", async () => {
    const { id, authorization, capture } = await captured();
    await inOrder(
      itemAbout(capture, authorization, "CAPTURE", repetitions["another ID"]),
      itemAbout(capture, authorization, "CAPTURE_FAILED"),
    );
    expect(await read(id)).toMatchObject({ status: "succeeded", amount_captured: 4900 });
    expect(await shop.ledger(id)).toEqual(repeatedLedger);
    expect(await kindsOf()).toEqual(["unexpected_notification", "capture_failed_late"]);
  });

  it("waits for the failure if its ID is the same, because its reason isn't signed", async () => {
    const { id, authorization, capture } = await captured();
    await shop.notify(itemAbout(capture, authorization, "CAPTURE", repetitions["the same ID"]));
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur"]);
    await shop.notify(itemAbout(capture, authorization, "CAPTURE_FAILED"));
    expect(await shop.statusOf(id)).toBe("failed");
    await processUntilDone(service);
    expect(await shop.statusOf(id)).toBe("succeeded");
    expect(await shop.ledger(id)).toEqual(repeatedLedger);
  });

  it("waits for the failure for 30 days, and then a person is told", async () => {
    const { id, authorization, capture } = await captured();
    const again = itemAbout(capture, authorization, "CAPTURE", repetitions["the same ID"]);
    await shop.notify(again);
    await processUntilDone(service);
    expect(await shop.attention()).toEqual([]);
    await shop.notify(itemAbout(capture, authorization, "CAPTURE_FAILED"));
    await processUntilDone(service);
    expect(await shop.statusOf(id)).toBe("succeeded");
    expect(await shop.ledger(id)).toEqual(repeatedLedger);
    expect(await kindsOf()).toEqual(["capture_failed_late", "captured_again"]);

    const other = await captured();
    await shop.notify(itemAbout(other.capture, other.authorization, "CAPTURE", repetitions["the same ID"]));
    service.moveClock(30 * 24 * 3_600_000);
    await processUntilDone(service);
    expect(await read(other.id)).toMatchObject({ status: "succeeded", amount_captured: 4900 });
    expect(await shop.ledger(other.id)).toEqual(["capture 4900 eur"]);
    expect((await shop.attention()).at(-1)).toMatchObject({ kind: "unexpected_notification", charge_id: other.id });
  });

  it("is the outcome if nothing else is reported within an hour", async () => {
    const { id, authorization, capture } = await shop.pendingCapture();
    await shop.notify(itemAbout(capture, authorization, "CAPTURE", repetitions["the same ID"]));
    expect(await shop.statusOf(id)).toBe("authorized");
    await processUntilDone(service);
    expect(await read(id)).toMatchObject({ status: "succeeded", amount_captured: 4900, pending_operation: null });
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur"]);
    expect(await kindsOf()).toEqual([]);
    await shop.notify(itemAbout(capture, authorization, "CAPTURE_FAILED"));
    expect(await shop.statusOf(id)).toBe("failed");
    await processUntilDone(service);
    await shop.notify(itemAbout(capture, authorization, "CAPTURE"));
    expect(await shop.statusOf(id)).toBe("succeeded");
    expect(await shop.ledger(id)).toEqual(repeatedLedger);
  });

  it("counts once if what it repeats is reported later, and can fail, too", async () => {
    const { id, authorization, capture } = await shop.pendingCapture();
    await shop.notify(itemAbout(capture, authorization, "CAPTURE", repetitions["another ID"]));
    await processUntilDone(service);
    await inOrder(itemAbout(capture, authorization, "CAPTURE"), itemAbout(capture, authorization, "CAPTURE_FAILED"));
    await processUntilDone(service);
    expect(await read(id)).toMatchObject({ status: "succeeded", amount_captured: 4900 });
    const { pspReference } = repetitions["another ID"];
    await shop.notify(itemAbout(capture, authorization, "CAPTURE_FAILED", { pspReference }));
    expect(await shop.statusOf(id)).toBe("failed");
    expect((await shop.ledger(id)).toSorted()).toEqual([
      "capture 4900 eur",
      "capture_failed -4900 eur",
      "capture_failed -4900 eur",
      "capture_repeated 4900 eur",
    ]);
  });

  it("fails with its own failure if it was the outcome, and a copy of it with another date moves nothing", async () => {
    const { id, authorization, capture } = await shop.pendingCapture();
    const { pspReference, reason } = repetitions["another ID"];
    const repeatedAt = (day: number) =>
      itemAbout(capture, authorization, "CAPTURE", {
        pspReference,
        reason,
        eventDate: `2026-01-0${day}T12:00:00+01:00`,
      });
    await shop.notify(repeatedAt(1));
    await processUntilDone(service);
    expect(await shop.statusOf(id)).toBe("succeeded");
    await shop.notify(itemAbout(capture, authorization, "CAPTURE_FAILED", { pspReference }));
    await processUntilDone(service);
    expect(await shop.statusOf(id)).toBe("failed");
    await shop.notify(repeatedAt(2));
    expect(await shop.statusOf(id)).toBe("failed");
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur", "capture_failed -4900 eur"]);
    expect(await kindsOf()).toEqual(["capture_failed_late", "captured_again"]);
  });

  it("fails with its own failure if that's reported more than an hour before anything else", async () => {
    const { id, authorization, capture } = await shop.pendingCapture();
    const { pspReference, reason } = repetitions["another ID"];
    await shop.notify(itemAbout(capture, authorization, "CAPTURE_FAILED", { pspReference }));
    service.moveClock(60_000);
    await shop.notify(itemAbout(capture, authorization, "CAPTURE", { pspReference, reason }));
    await processUntilDone(service);
    expect(await shop.statusOf(id)).toBe("failed");
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur", "capture_failed -4900 eur"]);
  });

  it("is found for its failure if it becomes the outcome just then", async () => {
    const { capture, authorization } = await shop.pendingCapture();
    const { pspReference: acquirerId } = repetitions["another ID"];
    let searches = 0;
    const db = service.context.db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        searches++;
        if (searches === 1) await reportOutcome(service.context, capture, approved(acquirerId));
        return result;
      },
    });
    const key = {
      ...ownerColumns(shop.merchant.tenant),
      acquirer_account_id: shop.acquirerAccountId,
      id: "a notification",
    };
    const referenced = { ...authorization, currency: "eur" };
    const money = { amount: 4900, currency: "eur" };
    const subject = { reference: authorization.id, acquirerId, authorizationId: authorization.acquirer_id, money };
    expect(await operationOf(db, key, referenced, "capture", subject)).toMatchObject({ id: capture.id });
  });

  it("makes a charge succeed that was captured at once, if it has the payment's ID", async () => {
    const { id, authorization } = await shop.charge();
    await shop.notify(itemOf(authorization, "CAPTURE_FAILED", { pspReference: "PSPOFTHECAPTURE1" }));
    expect(await shop.statusOf(id)).toBe("failed");
    const { acquirer_id: pspReference } = authorization;
    if (pspReference === null) throw new Error("The payment has no ID");
    await shop.notify(itemOf(authorization, "CAPTURE", { pspReference, reason: "Transaction Recaptured" }));
    expect(await shop.statusOf(id)).toBe("succeeded");
  });

  it("is entered and told about if both are reported at the same moment", async () => {
    const { id, authorization, capture } = await shop.pendingCapture();
    const second = repetitions["another ID, without saying so"];
    const items = [{}, second].map((fields) => itemAbout(capture, authorization, "CAPTURE", fields));
    await Promise.all(items.map((item) => adyen.notify(service, shop.acquirerAccountId, signedNotification(item))));
    await processUntilDone(service);
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur", "capture_repeated 4900 eur"]);
    expect(await kindsOf()).toEqual(["unexpected_notification"]);
  });

  it("isn't assumed of a capture that was declined and then reported as done", async () => {
    const { id, authorization, capture } = await shop.pendingCapture();
    await inOrder(
      itemAbout(capture, authorization, "CAPTURE", { success: "false" }),
      itemAbout(capture, authorization, "CAPTURE"),
      itemAbout(capture, authorization, "CAPTURE", repetitions["the same ID"]),
    );
    expect(await read(id)).toMatchObject({ status: "succeeded", amount_captured: 4900 });
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur"]);
  });

  it("isn't assumed if a copy of the first success arrives after the failure", async () => {
    const { id, authorization, capture } = await captured();
    await inOrder(itemAbout(capture, authorization, "CAPTURE_FAILED"), itemAbout(capture, authorization, "CAPTURE"));
    expect(await shop.statusOf(id)).toBe("failed");
    expect(await shop.ledger(id)).toEqual(repeatedLedger.slice(0, 2));
  });

  it("can fail again, and a person is told again", async () => {
    const { id, authorization, capture } = await captured();
    const another = { pspReference: "PSPOFTHERECAPTUR" };
    await inOrder(
      itemAbout(capture, authorization, "CAPTURE_FAILED"),
      itemAbout(capture, authorization, "CAPTURE", another),
      itemAbout(capture, authorization, "CAPTURE_FAILED", another),
    );
    expect(await read(id)).toMatchObject({ status: "failed", amount_captured: 0 });
    expect((await shop.ledger(id)).filter((entry) => entry === "capture_failed -4900 eur")).toHaveLength(2);
    expect(await kindsOf()).toEqual(["capture_failed_late", "captured_again", "capture_failed_late"]);
  });

  it("may have failed again if the same failure has another date, which moves nothing, and a person is told once", async () => {
    const { id, authorization, capture } = await captured();
    const at = (day: number, eventCode: string, more: object = {}) =>
      itemAbout(capture, authorization, eventCode, { eventDate: `2026-01-0${day}T12:00:00+01:00`, ...more });
    const failedAgain = [at(3, "CAPTURE_FAILED"), at(3, "CAPTURE_FAILED")];
    await inOrder(at(1, "CAPTURE_FAILED"), at(1, "CAPTURE_FAILED"), at(2, "CAPTURE", repetitions["the same ID"]));
    expect(await kindsOf()).toEqual(["capture_failed_late", "captured_again"]);
    await inOrder(...failedAgain);
    expect(await kindsOf()).toEqual(["capture_failed_late", "captured_again", "capture_failed_late"]);
    expect(await read(id)).toMatchObject({ status: "succeeded", amount_captured: 4900 });
    expect(await shop.ledger(id)).toEqual(repeatedLedger);
    await resolveAll();
    await inOrder(...failedAgain, at(4, "CAPTURE", repetitions["the same ID"]));
    expect((await shop.attention()).filter((item) => item.resolved_at === null)).toMatchObject([
      { kind: "captured_again", charge_id: id, details: { acquirer_id: capture.acquirer_id } },
    ]);
    expect(await shop.ledger(id)).toEqual(repeatedLedger);
  });

  it("is stored ten times and told once if it doesn't fit and has more and more dates", async () => {
    const { authorization, capture } = await captured();
    const amount = { value: 1, currency: "EUR" };
    for (let day = 10; day < 22; day++) {
      const eventDate = `2026-01-${day}T12:00:00+01:00`;
      await shop.notify(itemAbout(capture, authorization, "CAPTURE_FAILED", { amount, eventDate }));
    }
    expect((await shop.stored()).filter((one) => one.startsWith("CAPTURE_FAILED"))).toHaveLength(10);
    expect(await kindsOf()).toEqual(["unexpected_notification"]);
  });

  it("is told about if copies have used up what is stored, because it may be the one that's true", async () => {
    const { id, authorization, capture } = await captured();
    const failedOn = (day: number) =>
      itemAbout(capture, authorization, "CAPTURE_FAILED", { eventDate: `2026-01-${day}T12:00:00+01:00` });
    for (let day = 10; day < 20; day++) await shop.notify(failedOn(day));
    await shop.notify(itemAbout(capture, authorization, "CAPTURE", repetitions["the same ID"]));
    await shop.notify(failedOn(20), failedOn(21));
    expect(await shop.statusOf(id)).toBe("succeeded");
    expect(await kindsOf()).toEqual(["capture_failed_late", "captured_again", "unexpected_notification"]);
  });

  it("changes only the ledger of a charge that was refunded meanwhile", async () => {
    const { id, authorization, refund } = await refunded(4900);
    const before = await read(id);
    const about = { pspReference: "PSPOFTHECAPTURE1" };
    await inOrder(
      itemOf(authorization, "CAPTURE_FAILED", about),
      itemOf(authorization, "CAPTURE", { ...about, ...repetitions["the same ID"] }),
    );
    expect(await read(id)).toEqual(before);
    expect(await shop.ledger(id)).toEqual([...repeatedLedger, "refund -4900 eur"]);
    expect(await kindsOf()).toEqual(["capture_failed_late", "captured_again"]);
    await shop.notify(itemAbout(refund, authorization, "REFUND_FAILED"));
    expect(await read(id)).toMatchObject({ status: "succeeded", amount_captured: 4900, amount_refunded: 0 });
  });

  it("makes its session paid again", async () => {
    const checkout = await shop.merchant.checkout();
    await checkout.pay("4242424242424242");
    const id = String((await shop.merchant.chargeOf(checkout))["id"]);
    const authorization = await shop.latest(id);
    await shop.notify(itemOf(authorization, "CAPTURE_FAILED"));
    await shop.notify(itemOf(authorization, "CAPTURE", { reason: "Transaction Recaptured" }));
    expect(await checkout.session()).toMatchObject({ payment_status: "paid" });
    expect(await shop.statusOf(id)).toBe("succeeded");
  });
});

describe("a refund that succeeds again after it had failed", () => {
  it.each([
    ["REFUND_FAILED", "refund_failed", { reason: "Transaction Recaptured" }],
    ["REFUNDED_REVERSED", "refund_reversed", { pspReference: "PSPOFTHENEWREFUN" }],
  ])("has succeeded, once, and a person is told: after %s", async (eventCode, kind, repetition) => {
    const { id, authorization, refund, refundId } = await refunded(1000);
    const again = itemAbout(refund, authorization, "REFUND", repetition);
    await inOrder(itemAbout(refund, authorization, eventCode), again, again);
    expect(await shop.merchant.read(`refunds/${refundId}`)).toMatchObject({ status: "succeeded", failure: null });
    expect(await read(id)).toMatchObject({ amount_refunded: 1000 });
    const entries = ["capture 4900 eur", "refund -1000 eur", `${kind} 1000 eur`, "refund_repeated -1000 eur"];
    expect(await shop.ledger(id)).toEqual(entries.toSorted());
    const events = summarize(await shop.merchant.events(refundId));
    expect(events).toEqual(["refund.succeeded 1 succeeded", "refund.failed 2 failed", "refund.succeeded 3 succeeded"]);
    const told = (await shop.attention()).map((item) => item.kind);
    expect(told).toEqual(["refund_failed_late", "refunded_again"]);
  });

  it.each(["REFUND_FAILED", "REFUNDED_REVERSED"])(
    "may have failed again if the same failure has another date, and a person is told: %s",
    async (eventCode) => {
      const { id, authorization, refund, refundId } = await refunded(1000);
      const failedAt = (day: number) =>
        itemAbout(refund, authorization, eventCode, { eventDate: `2026-01-0${day}T12:00:00+01:00` });
      await shop.notify(failedAt(1));
      await resolveAll();
      await inOrder(failedAt(1), failedAt(2), failedAt(2));
      expect(await shop.merchant.read(`refunds/${refundId}`)).toMatchObject({ status: "failed" });
      expect(await shop.attention()).toMatchObject([
        { kind: "refund_failed_late", resolved_at: expect.any(Date) as Date },
        { kind: "refund_failed_late", resolved_at: null, charge_id: id },
      ]);
    },
  );

  it("is found by its ID if it has the payment's reference", async () => {
    const { authorization, refund, refundId } = await refunded(1000);
    const repetition = { merchantReference: authorization.id, reason: "Transaction Recaptured" };
    await inOrder(
      itemAbout(refund, authorization, "REFUND_FAILED"),
      itemAbout(refund, authorization, "REFUND", repetition),
    );
    expect(await shop.merchant.read(`refunds/${refundId}`)).toMatchObject({ status: "succeeded" });
  });

  it("stays failed if its amount was refunded meanwhile, so that the ledger has two refunds", async () => {
    const { id, authorization, refund, refundId } = await refunded(4900);
    await shop.notify(itemAbout(refund, authorization, "REFUND_FAILED"));
    expect((await shop.merchant.refund(id, 4900)).body).toMatchObject({ status: "pending" });
    await shop.notify(itemAbout(refund, authorization, "REFUND", { pspReference: "PSPOFTHENEWREFUN" }));
    expect(await shop.merchant.read(`refunds/${refundId}`)).toMatchObject({ status: "failed" });
    expect(await shop.ledger(id)).toContain("refund_repeated -4900 eur");
    expect((await shop.attention()).map((item) => item.kind)).toEqual(["refund_failed_late", "refunded_again"]);
  });
});

describe("an authorization that expires before an earlier outcome is known", () => {
  it.each(["capture", "cancel"] as const)("is canceled once a %s is declined, days later", async (operation) => {
    const { id, authorization } = await shop.charge(manual);
    await shop.merchant[operation](id);
    const attempt = await shop.latest(id);
    await shop.notify(itemOf(authorization, "EXPIRE"));
    await processUntilDone(service);
    expect(await shop.statusOf(id)).toBe("authorized");
    const eventCode = operation === "capture" ? "CAPTURE" : "CANCELLATION";
    await shop.notify(itemAbout(attempt, authorization, eventCode, { success: "false" }));
    await processUntilDone(service);
    expect(await shop.statusOf(id)).toBe("canceled");
    expect(await shop.attention()).toEqual([]);
  });

  it("changes nothing if the capture succeeds", async () => {
    const { id, authorization, capture } = await shop.pendingCapture();
    await shop.notify(itemOf(authorization, "EXPIRE"));
    await processUntilDone(service);
    await shop.notify(itemAbout(capture, authorization, "CAPTURE"));
    await processUntilDone(service);
    expect(await shop.statusOf(id)).toBe("succeeded");
    expect(await shop.attention()).toEqual([]);
  });

  it("is canceled once its approval is reported, which was held back", async () => {
    await adyen.addFaults({ match: { kind: "authorization" }, fault: "error_after" });
    expect((await shop.merchant.charge("pm_card_visa", manual)).status).toBe(503);
    await adyen.clearFaults();
    const [charge] = await shop.merchant.list("charges");
    const id = String(charge?.["id"]);
    const [payment] = (await adyen.ledger((await shop.latest(id)).id)).payments;
    const authorization = { ...(await shop.latest(id)), acquirer_id: payment?.pspReference ?? null };
    await shop.notify(itemOf(authorization, "EXPIRE"));
    await shop.notify(itemOf(authorization, "AUTHORISATION"));
    expect(await shop.statusOf(id)).toBe("authorized");
    await processUntilDone(service);
    expect(await shop.statusOf(id)).toBe("canceled");
  });
});

describe("a charge and its refunds", () => {
  const declined = { success: "false" } as const;
  const again = { pspReference: "PSPOFTHESECONDTR" };
  const kinds = async () => (await shop.attention()).map((item) => item.kind);

  async function pendingRefund(amount: number) {
    const { id, authorization } = await shop.charge();
    const refundId = String((await shop.merchant.refund(id, amount)).body["id"]);
    return { id, authorization, refund: await shop.latest(id), refundId };
  }

  it("fail if a capture or refund was declined, succeeded after all, and then fails", async () => {
    const { id, authorization, capture } = await shop.pendingCapture();
    await shop.notify(itemAbout(capture, authorization, "CAPTURE", declined));
    await inOrder(...["CAPTURE", "CAPTURE_FAILED"].map((code) => itemAbout(capture, authorization, code)));
    expect(await read(id)).toMatchObject({ status: "failed", amount_captured: 0 });
    expect(await kinds()).toEqual(["captured_again", "capture_failed_late"]);

    const refunding = await pendingRefund(1000);
    const { refund, refundId } = refunding;
    await shop.notify(itemAbout(refund, refunding.authorization, "REFUND", declined));
    await inOrder(...["REFUND", "REFUND_FAILED"].map((code) => itemAbout(refund, refunding.authorization, code)));
    expect(await shop.merchant.read(`refunds/${refundId}`)).toMatchObject({ status: "failed" });
    expect(await read(refunding.id)).toMatchObject({ amount_refunded: 0 });
  });

  it("fail if a failure came first, and the repetition fails too", async () => {
    const { id, authorization, capture } = await shop.pendingCapture();
    await inOrder(
      itemAbout(capture, authorization, "CAPTURE_FAILED"),
      itemAbout(capture, authorization, "CAPTURE"),
      itemAbout(capture, authorization, "CAPTURE", again),
    );
    expect(await read(id)).toMatchObject({ status: "succeeded", amount_captured: 4900 });
    await shop.notify(itemAbout(capture, authorization, "CAPTURE_FAILED", again));
    expect(await read(id)).toMatchObject({ status: "failed", amount_captured: 0 });
    expect(await kinds()).toEqual(["captured_again", "capture_failed_late"]);
  });

  it("stay refunded if a refund was done twice and failed once", async () => {
    const { id, authorization, refund, refundId } = await refunded(1000);
    await shop.notify(itemAbout(refund, authorization, "REFUND", again));
    await shop.notify(itemAbout(refund, authorization, "REFUND_FAILED"));
    expect(await shop.merchant.read(`refunds/${refundId}`)).toMatchObject({ status: "succeeded" });
    expect(await read(id)).toMatchObject({ amount_refunded: 1000 });
  });

  it("fail if the acquirer reports a capture that a person had ended, and then its failure", async () => {
    const { id, authorization } = await shop.charge(manual);
    await adyen.addFaults({ match: { kind: "capture" }, fault: "error_after" });
    await shop.merchant.capture(id);
    await adyen.clearFaults();
    const capture = await shop.latest(id);
    expect(capture.acquirer_id).toBeNull();
    service.moveClock(10_000);
    const { context } = service;
    expect(await context.db.transaction().execute((tx) => markFailed(context, tx, capture.id))).toBe(true);
    await shop.notify(itemAbout(capture, authorization, "CAPTURE"));
    expect(await read(id)).toMatchObject({ status: "succeeded" });
    await shop.notify(itemAbout(capture, authorization, "CAPTURE_FAILED"));
    expect(await read(id)).toMatchObject({ status: "failed" });
  });

  it.each(["CAPTURE", "CAPTURE_FAILED"])(
    "have succeeded if a capture is done after all while another one is pending, which ends with %s",
    async (eventCode) => {
      const { id, authorization, capture } = await shop.pendingCapture();
      await shop.notify(itemAbout(capture, authorization, "CAPTURE", declined));
      await shop.merchant.capture(id);
      const second = await shop.latest(id);
      await shop.notify(itemAbout(capture, authorization, "CAPTURE"));
      await shop.notify(itemAbout(second, authorization, eventCode, eventCode === "CAPTURE" ? declined : {}));
      expect(await read(id)).toMatchObject({ status: "succeeded", amount_captured: 4900 });
      expect((await shop.merchant.refund(id, 4900)).status).toBe(200);
    },
  );

  it("are refunded if a refund is done after all while another one has its amount, which is declined", async () => {
    const { id, authorization, refund } = await pendingRefund(4900);
    await shop.notify(itemAbout(refund, authorization, "REFUND", declined));
    expect((await shop.merchant.refund(id, 4900)).status).toBe(200);
    const second = await shop.latest(id);
    await shop.notify(itemAbout(refund, authorization, "REFUND"));
    await shop.notify(itemAbout(second, authorization, "REFUND", declined));
    expect(await read(id)).toMatchObject({ amount_refunded: 4900 });
    expect((await shop.merchant.refund(id, 4900)).status).toBe(400);
  });

  it.each([{ reason: "Transaction Recaptured" }, again])(
    "have succeeded if a capture is repeated whose first success isn't reported: %j",
    async (repetition) => {
      const { id, authorization, capture } = await shop.pendingCapture();
      await inOrder(
        itemAbout(capture, authorization, "CAPTURE_FAILED"),
        itemAbout(capture, authorization, "CAPTURE", repetition),
      );
      expect(await read(id)).toMatchObject({ status: "succeeded", amount_captured: 4900 });
      expect(await kinds()).toEqual(["captured_again"]);
      await shop.notify(itemAbout(capture, authorization, "CAPTURE"));
      expect(await shop.ledger(id)).toEqual([
        "capture 4900 eur",
        "capture_failed -4900 eur",
        "capture_repeated 4900 eur",
      ]);
    },
  );

  it("have succeeded if an automatic capture fails twice before it's done", async () => {
    const { id, authorization } = await shop.charge();
    const item = (eventCode: string, n: number, more: object = {}) =>
      itemOf(authorization, eventCode, { pspReference: `PSPOFCAPTURE000${n}`, ...more });
    const third = item("CAPTURE", 3, { reason: "Transaction Auto-recaptured" });
    await inOrder(item("CAPTURE_FAILED", 1), item("CAPTURE_FAILED", 2), third, item("CAPTURE", 2));
    expect(await read(id)).toMatchObject({ status: "succeeded", amount_captured: 4900 });
    expect(await kinds()).toEqual(["capture_failed_late", "captured_again"]);
  });

  it("are canceled if a cancellation is done after it was declined", async () => {
    const { id, authorization } = await shop.charge(manual);
    await shop.merchant.cancel(id);
    const cancellation = await shop.latest(id);
    await shop.notify(itemAbout(cancellation, authorization, "CANCELLATION", declined));
    expect(await read(id)).toMatchObject({ status: "authorized" });
    await shop.notify(itemAbout(cancellation, authorization, "CANCELLATION"));
    expect(await read(id)).toMatchObject({ status: "canceled" });
    expect((await shop.merchant.events(id)).at(-1)).toMatchObject({ type: "charge.canceled" });
    expect(await kinds()).toEqual([]);
  });
});
