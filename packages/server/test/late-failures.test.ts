/**
 * Tests captures and refunds that fail at the acquirer after they had succeeded, or before their success is reported: the
 * charge, the refund, the session, events, the ledger, and what a person is told.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { AdyenBank } from "./setup/adyen.ts";
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
