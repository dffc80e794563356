/**
 * Tests captures and refunds that succeed at the acquirer after they had failed: the charge, the refund, the session,
 * events, the ledger, and what a person is notified of.
 */
import { beforeEach, describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { operationOf } from "../src/payments/notifications/find-attempts.ts";
import { reportOutcome } from "../src/payments/notifications/report-outcome.ts";
import { ownerColumns } from "../src/platform/tenant.ts";
import { approved } from "./setup/adyen-outcomes.ts";
import { signedNotification } from "./setup/adyen.ts";
import { summarize } from "./setup/merchant.ts";
import {
  captured,
  inOrder,
  itemAbout,
  itemOf,
  onDay,
  processUntilDone,
  refunded,
  startNotifying,
  startSilentAdyen,
  type Notifying,
} from "./setup/notifying.ts";

const { adyen, service } = await openForTests(startSilentAdyen());
let shop: Notifying;
beforeEach(async () => void (shop = await startNotifying(service, adyen)));

const read = (id: string) => shop.merchant.read(`charges/${id}`);

async function resolveAll() {
  const { db, now } = service.context;
  const open = db.updateTable("attention").where("account_no", "=", shop.merchant.tenant.accountNo);
  await open.set({ resolved_at: now() }).execute();
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

  it.each(names)("makes the charge succeed again, once, and an item is raised: %s", async (name) => {
    const { id, authorization, capture } = await captured(shop);
    const again = itemAbout(capture, authorization, "CAPTURE", repetitions[name]);
    await inOrder(shop, itemAbout(capture, authorization, "CAPTURE_FAILED"), again, again);
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
      shop,
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
    const { id, authorization, capture } = await captured(shop);
    const merchantReference = authorization.id;
    await inOrder(
      shop,
      itemAbout(capture, authorization, "CAPTURE_FAILED"),
      itemAbout(capture, authorization, "CAPTURE", { merchantReference, ...repetitions["the same ID"] }),
    );
    expect(await read(id)).toMatchObject({ status: "succeeded", amount_captured: 4900 });
    expect(await shop.ledger(id)).toEqual(repeatedLedger);
    expect(await kindsOf()).toEqual(["capture_failed_late", "captured_again"]);
  });

  it("keeps the charge if that's reported before the failure", async () => {
    const { id, authorization, capture } = await captured(shop);
    await inOrder(
      shop,
      itemAbout(capture, authorization, "CAPTURE", repetitions["another ID"]),
      itemAbout(capture, authorization, "CAPTURE_FAILED"),
    );
    expect(await read(id)).toMatchObject({ status: "succeeded", amount_captured: 4900 });
    expect(await shop.ledger(id)).toEqual(repeatedLedger);
    expect(await kindsOf()).toEqual(["unexpected_notification", "capture_failed_late"]);
  });

  it("waits for the failure if its ID is the same, because its reason isn't signed", async () => {
    const { id, authorization, capture } = await captured(shop);
    await shop.notify(itemAbout(capture, authorization, "CAPTURE", repetitions["the same ID"]));
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur"]);
    await shop.notify(itemAbout(capture, authorization, "CAPTURE_FAILED"));
    expect(await shop.statusOf(id)).toBe("failed");
    await processUntilDone(service);
    expect(await shop.statusOf(id)).toBe("succeeded");
    expect(await shop.ledger(id)).toEqual(repeatedLedger);
  });

  it("waits for the failure for 30 days, and then a person is notified", async () => {
    const { id, authorization, capture } = await captured(shop);
    const again = itemAbout(capture, authorization, "CAPTURE", repetitions["the same ID"]);
    await shop.notify(again);
    await processUntilDone(service);
    expect(await shop.attention()).toEqual([]);
    await shop.notify(itemAbout(capture, authorization, "CAPTURE_FAILED"));
    await processUntilDone(service);
    expect(await shop.statusOf(id)).toBe("succeeded");
    expect(await shop.ledger(id)).toEqual(repeatedLedger);
    expect(await kindsOf()).toEqual(["capture_failed_late", "captured_again"]);

    const other = await captured(shop);
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
    await inOrder(
      shop,
      itemAbout(capture, authorization, "CAPTURE"),
      itemAbout(capture, authorization, "CAPTURE_FAILED"),
    );
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
        ...onDay(day),
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

  it("is entered, and an item is raised, if both are reported at the same moment", async () => {
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
      shop,
      itemAbout(capture, authorization, "CAPTURE", { success: "false" }),
      itemAbout(capture, authorization, "CAPTURE"),
      itemAbout(capture, authorization, "CAPTURE", repetitions["the same ID"]),
    );
    expect(await read(id)).toMatchObject({ status: "succeeded", amount_captured: 4900 });
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur"]);
  });

  it("isn't assumed if a copy of the first success arrives after the failure", async () => {
    const { id, authorization, capture } = await captured(shop);
    await inOrder(
      shop,
      itemAbout(capture, authorization, "CAPTURE_FAILED"),
      itemAbout(capture, authorization, "CAPTURE"),
    );
    expect(await shop.statusOf(id)).toBe("failed");
    expect(await shop.ledger(id)).toEqual(repeatedLedger.slice(0, 2));
  });

  it("can fail again, and an item is raised again", async () => {
    const { id, authorization, capture } = await captured(shop);
    const another = { pspReference: "PSPOFTHERECAPTUR" };
    await inOrder(
      shop,
      itemAbout(capture, authorization, "CAPTURE_FAILED"),
      itemAbout(capture, authorization, "CAPTURE", another),
      itemAbout(capture, authorization, "CAPTURE_FAILED", another),
    );
    expect(await read(id)).toMatchObject({ status: "failed", amount_captured: 0 });
    expect((await shop.ledger(id)).filter((entry) => entry === "capture_failed -4900 eur")).toHaveLength(2);
    expect(await kindsOf()).toEqual(["capture_failed_late", "captured_again", "capture_failed_late"]);
  });

  it("may have failed again if the same failure has another date, which moves nothing, and an item is raised once", async () => {
    const { id, authorization, capture } = await captured(shop);
    const at = (day: number, eventCode: string, more: object = {}) =>
      itemAbout(capture, authorization, eventCode, { ...onDay(day), ...more });
    const failedAgain = [at(3, "CAPTURE_FAILED"), at(3, "CAPTURE_FAILED")];
    await inOrder(shop, at(1, "CAPTURE_FAILED"), at(1, "CAPTURE_FAILED"), at(2, "CAPTURE", repetitions["the same ID"]));
    expect(await kindsOf()).toEqual(["capture_failed_late", "captured_again"]);
    await inOrder(shop, ...failedAgain);
    expect(await kindsOf()).toEqual(["capture_failed_late", "captured_again", "capture_failed_late"]);
    expect(await read(id)).toMatchObject({ status: "succeeded", amount_captured: 4900 });
    expect(await shop.ledger(id)).toEqual(repeatedLedger);
    await resolveAll();
    await inOrder(shop, ...failedAgain, at(4, "CAPTURE", repetitions["the same ID"]));
    expect((await shop.attention()).filter((item) => item.resolved_at === null)).toMatchObject([
      { kind: "captured_again", charge_id: id, details: { acquirer_id: capture.acquirer_id } },
    ]);
    expect(await shop.ledger(id)).toEqual(repeatedLedger);
  });

  it("is stored ten times, and one item is raised, if it doesn't fit and has more and more dates", async () => {
    const { authorization, capture } = await captured(shop);
    const amount = { value: 1, currency: "EUR" };
    for (let day = 10; day < 22; day++)
      await shop.notify(itemAbout(capture, authorization, "CAPTURE_FAILED", { amount, ...onDay(day) }));
    expect((await shop.stored()).filter((one) => one.startsWith("CAPTURE_FAILED"))).toHaveLength(10);
    expect(await kindsOf()).toEqual(["unexpected_notification"]);
  });

  it("raises an item if copies have used up what is stored, because it may be the one that's true", async () => {
    const { id, authorization, capture } = await captured(shop);
    const failedOn = (day: number) => itemAbout(capture, authorization, "CAPTURE_FAILED", onDay(day));
    for (let day = 10; day < 20; day++) await shop.notify(failedOn(day));
    await shop.notify(itemAbout(capture, authorization, "CAPTURE", repetitions["the same ID"]));
    await shop.notify(failedOn(20), failedOn(21));
    expect(await shop.statusOf(id)).toBe("succeeded");
    expect(await kindsOf()).toEqual(["capture_failed_late", "captured_again", "unexpected_notification"]);
  });

  it("changes only the ledger of a charge that was refunded meanwhile", async () => {
    const { id, authorization, refund } = await refunded(shop, 4900);
    const before = await read(id);
    const about = { pspReference: "PSPOFTHECAPTURE1" };
    await inOrder(
      shop,
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
  ])("has succeeded, once, and an item is raised: after %s", async (eventCode, kind, repetition) => {
    const { id, authorization, refund, refundId } = await refunded(shop, 1000);
    const again = itemAbout(refund, authorization, "REFUND", repetition);
    await inOrder(shop, itemAbout(refund, authorization, eventCode), again, again);
    expect(await shop.merchant.read(`refunds/${refundId}`)).toMatchObject({ status: "succeeded", failure: null });
    expect(await read(id)).toMatchObject({ amount_refunded: 1000 });
    const entries = ["capture 4900 eur", "refund -1000 eur", `${kind} 1000 eur`, "refund_repeated -1000 eur"];
    expect(await shop.ledger(id)).toEqual(entries.toSorted());
    const events = summarize(await shop.merchant.events(refundId));
    expect(events).toEqual(["refund.succeeded 1 succeeded", "refund.failed 2 failed", "refund.succeeded 3 succeeded"]);
    const kinds = (await shop.attention()).map((item) => item.kind);
    expect(kinds).toEqual(["refund_failed_late", "refunded_again"]);
  });

  it.each(["REFUND_FAILED", "REFUNDED_REVERSED"])(
    "may have failed again if the same failure has another date, and an item is raised: %s",
    async (eventCode) => {
      const { id, authorization, refund, refundId } = await refunded(shop, 1000);
      const failedAt = (day: number) => itemAbout(refund, authorization, eventCode, onDay(day));
      await shop.notify(failedAt(1));
      await resolveAll();
      await inOrder(shop, failedAt(1), failedAt(2), failedAt(2));
      expect(await shop.merchant.read(`refunds/${refundId}`)).toMatchObject({ status: "failed" });
      expect(await shop.attention()).toMatchObject([
        { kind: "refund_failed_late", resolved_at: expect.any(Date) as Date },
        { kind: "refund_failed_late", resolved_at: null, charge_id: id },
      ]);
    },
  );

  it("is found by its ID if it has the payment's reference", async () => {
    const { authorization, refund, refundId } = await refunded(shop, 1000);
    const repetition = { merchantReference: authorization.id, reason: "Transaction Recaptured" };
    await inOrder(
      shop,
      itemAbout(refund, authorization, "REFUND_FAILED"),
      itemAbout(refund, authorization, "REFUND", repetition),
    );
    expect(await shop.merchant.read(`refunds/${refundId}`)).toMatchObject({ status: "succeeded" });
  });

  it("stays failed if its amount was refunded meanwhile, so that the ledger has two refunds", async () => {
    const { id, authorization, refund, refundId } = await refunded(shop, 4900);
    await shop.notify(itemAbout(refund, authorization, "REFUND_FAILED"));
    expect((await shop.merchant.refund(id, 4900)).body).toMatchObject({ status: "pending" });
    await shop.notify(itemAbout(refund, authorization, "REFUND", { pspReference: "PSPOFTHENEWREFUN" }));
    expect(await shop.merchant.read(`refunds/${refundId}`)).toMatchObject({ status: "failed" });
    expect(await shop.ledger(id)).toContain("refund_repeated -4900 eur");
    expect((await shop.attention()).map((item) => item.kind)).toEqual(["refund_failed_late", "refunded_again"]);
  });
});
