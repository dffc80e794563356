/**
 * Tests captures and refunds that fail at the acquirer after they had succeeded, or before their success is reported:
 * the charge, the refund, the session, events, the ledger, and what a person is notified of. `late-successes.test.ts`
 * tests what succeeds after that.
 */
import { beforeEach, describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { markFailed } from "../src/payments/flow/mark-failed.ts";
import { summarize } from "./setup/merchant.ts";
import {
  captured,
  inOrder,
  itemAbout,
  itemOf,
  processUntilDone,
  refunded,
  startNotifying,
  startSilentAdyen,
  type Notifying,
} from "./setup/notifying.ts";

const { adyen, service } = await openForTests(startSilentAdyen());
let shop: Notifying;
beforeEach(async () => void (shop = await startNotifying(service, adyen)));

const manual = { capture_method: "manual" };
const read = (id: string) => shop.merchant.read(`charges/${id}`);

describe("a capture that fails after it had succeeded", () => {
  it("fails the charge, once however often it's reported", async () => {
    const { id, authorization, capture } = await captured(shop);
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
    const { id, authorization, capture } = await captured(shop);
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

  it("leaves a charge that was partly refunded, and an item is raised", async () => {
    const { id, authorization, refund } = await refunded(shop, 1000);
    await shop.notify(itemOf(authorization, "CAPTURE_FAILED"));
    expect(refund.status).toBe("processing");
    expect(await read(id)).toMatchObject({ status: "succeeded", amount_captured: 4900, amount_refunded: 1000 });
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur", "capture_failed -4900 eur", "refund -1000 eur"]);
    expect(await shop.attention()).toMatchObject([{ kind: "capture_failed_late", charge_id: id }]);
  });

  it.each(["CAPTURE_FAILED REFUND_FAILED", "REFUND_FAILED CAPTURE_FAILED"])(
    "fails a charge whose refund fails too, in any order: %s",
    async (order) => {
      const { id, authorization, refund } = await refunded(shop, 4900);
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

  it("changes nothing if its amount differs, and an item is raised", async () => {
    const { id, authorization, capture } = await captured(shop);
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
    const { id, authorization, refund, refundId } = await refunded(shop, 4900);
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

  it("raises an item if no refund has its ID", async () => {
    const { id, authorization, refund } = await refunded(shop, 4900);
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
    await inOrder(shop, ...["CAPTURE", "CAPTURE_FAILED"].map((code) => itemAbout(capture, authorization, code)));
    expect(await read(id)).toMatchObject({ status: "failed", amount_captured: 0 });
    expect(await kinds()).toEqual(["captured_again", "capture_failed_late"]);

    const refunding = await pendingRefund(1000);
    const { refund, refundId } = refunding;
    await shop.notify(itemAbout(refund, refunding.authorization, "REFUND", declined));
    await inOrder(shop, ...["REFUND", "REFUND_FAILED"].map((code) => itemAbout(refund, refunding.authorization, code)));
    expect(await shop.merchant.read(`refunds/${refundId}`)).toMatchObject({ status: "failed" });
    expect(await read(refunding.id)).toMatchObject({ amount_refunded: 0 });
  });

  it("fail if a failure came first, and the repetition fails too", async () => {
    const { id, authorization, capture } = await shop.pendingCapture();
    await inOrder(
      shop,
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
    const { id, authorization, refund, refundId } = await refunded(shop, 1000);
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
        shop,
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
    await inOrder(shop, item("CAPTURE_FAILED", 1), item("CAPTURE_FAILED", 2), third, item("CAPTURE", 2));
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
