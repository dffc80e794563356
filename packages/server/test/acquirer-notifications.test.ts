/**
 * Tests that an acquirer's notifications change exactly what they should, whatever their order and however often they
 * arrive. `acquirer-notifications-endpoint.test.ts` tests which are accepted, `disputes.test.ts` disputes, and
 * `late-failures.test.ts` and `late-successes.test.ts` what fails and succeeds afterwards.
 */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { apply } from "../src/payments/notifications/apply.ts";
import { processDueNotifications } from "../src/payments/notifications/process.ts";
import { toContents } from "../src/payments/notifications/stored.ts";
import { newId } from "../src/platform/ids.ts";
import { ownerColumns } from "../src/platform/tenant.ts";
import { signedNotification, type NotificationItem } from "./setup/adyen.ts";
import { summarize } from "./setup/merchant.ts";
import {
  itemAbout,
  itemOf,
  onDay,
  processForMinutes,
  processUntilDone,
  startNotifying,
  startSilentAdyen,
  type Notifying,
} from "./setup/notifying.ts";
import { until } from "./setup/until.ts";

const { adyen, service } = await openForTests(startSilentAdyen());
let shop: Notifying;
beforeEach(async () => void (shop = await startNotifying(service, adyen)));

const send = (body: unknown, id = shop.acquirerAccountId) => adyen.notify(service, id, body);
const manual = { capture_method: "manual" };

describe("an outcome", () => {
  it("ends a capture, which completes its idempotency key", async () => {
    const { id, authorization, capture } = await shop.pendingCapture(3000);
    await shop.notify(itemAbout(capture, authorization, "CAPTURE"));
    expect(await shop.merchant.read(`charges/${id}`)).toMatchObject({
      status: "succeeded",
      amount_captured: 3000,
      pending_operation: null,
    });
    expect(await shop.ledger(id)).toEqual(["capture 3000 eur"]);
    expect(summarize(await shop.merchant.events(id))).toEqual([
      "charge.authorized 1 authorized",
      "payment.succeeded 2 succeeded",
    ]);
    expect(await shop.attention()).toEqual([]);
  });

  it("frees a charge whose capture is declined, and keeps the reason", async () => {
    const { id, authorization, capture } = await shop.pendingCapture();
    const reason = "Transaction hasn't been authorized";
    await shop.notify(itemAbout(capture, authorization, "CAPTURE", { success: "false", reason }));
    expect(await shop.merchant.read(`charges/${id}`)).toMatchObject({ status: "authorized", pending_operation: null });
    expect(await shop.ledger(id)).toEqual([]);
    const [, event] = await shop.merchant.events(id);
    expect(event).toMatchObject({
      type: "charge.capture_failed",
      data: { object: { failure: { decline_code: "processing_error" } } },
    });
    expect((await shop.attempts(id))[1]).toMatchObject({ status: "declined", refusal_reason: reason });
    expect((await shop.merchant.capture(id)).body).toMatchObject({ pending_operation: "capture" });
  });

  it.each([
    ["true", "canceled", "charge.canceled"],
    ["false", "authorized", "charge.cancel_failed"],
  ] as const)("ends a cancellation with success %s", async (success, status, type) => {
    const { id, authorization } = await shop.charge(manual);
    expect((await shop.merchant.cancel(id)).body).toMatchObject({ status: "authorized", pending_operation: "cancel" });
    const cancellation = await shop.latest(id);
    await shop.notify(itemAbout(cancellation, authorization, "CANCELLATION", { success }));
    expect(await shop.merchant.read(`charges/${id}`)).toMatchObject({ status, pending_operation: null });
    expect((await shop.merchant.events(id)).map((event) => event["type"])).toEqual(["charge.authorized", type]);
  });

  it.each([
    ["true", "succeeded", 1500, ["capture 4900 eur", "refund -1500 eur"]],
    ["false", "failed", 0, ["capture 4900 eur"]],
  ] as const)("ends a refund with success %s", async (success, status, refunded, ledger) => {
    const { id, authorization } = await shop.charge();
    const refund = await shop.merchant.refund(id, 1500);
    expect(refund).toMatchObject({ status: 200, body: { status: "pending" } });
    const attempt = await shop.latest(id);
    await shop.notify(itemAbout(attempt, authorization, "REFUND", { success }));
    expect(await shop.merchant.read(`refunds/${refund.body["id"]}`)).toMatchObject({ status });
    expect(await shop.merchant.read(`charges/${id}`)).toMatchObject({ amount_refunded: refunded });
    expect(await shop.ledger(id)).toEqual(ledger);
  });

  it("of a payment changes nothing if the reply had it", async () => {
    const { id, authorization } = await shop.charge();
    const events = summarize(await shop.merchant.events(id));
    await shop.notify(itemOf(authorization, "AUTHORISATION"));
    expect(summarize(await shop.merchant.events(id))).toEqual(events);
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur"]);
    expect(await shop.stored()).toEqual(["AUTHORISATION processed"]);
  });

  it("may also report the capture of a payment that was captured at once", async () => {
    const { id, authorization } = await shop.charge();
    await shop.notify(itemOf(authorization, "CAPTURE"));
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur"]);
    expect(await shop.attention()).toEqual([]);
  });

  it("has the same effect however often and however concurrently it's processed", async () => {
    const { id, authorization, capture } = await shop.pendingCapture();
    const body = signedNotification(itemAbout(capture, authorization, "CAPTURE"));
    await Promise.all(Array.from({ length: 5 }, () => send(body)));
    await shop.notify();
    const { db } = service.context;
    const own = db.updateTable("acquirer_notification").where("acquirer_account_id", "=", shop.acquirerAccountId);
    await own.set({ status: "received" }).execute();
    service.moveClock(60_000);
    await Promise.all(Array.from({ length: 3 }, () => processDueNotifications(service.context)));
    await shop.notify();
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur"]);
    expect(summarize(await shop.merchant.events(id))).toEqual([
      "charge.authorized 1 authorized",
      "payment.succeeded 2 succeeded",
    ]);
    expect(await shop.stored()).toEqual(["CAPTURE processed"]);
  });

  it("can arrive before the reply that it's about", async () => {
    const { id, authorization } = await shop.charge(manual);
    await adyen.addFaults({ match: { kind: "capture" }, fault: "late", ms: 1_500, times: 1 });
    const captured = shop.merchant.capture(id);
    const capture = await until("the capture to be sent", async () => {
      const attempt = await shop.latest(id);
      return attempt.kind === "capture" ? attempt : null;
    });
    await shop.notify(itemAbout(capture, authorization, "CAPTURE"));
    expect(await shop.statusOf(id)).toBe("succeeded");
    expect((await captured).body).toMatchObject({ id, status: "succeeded", pending_operation: null });
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur"]);
    expect(summarize(await shop.merchant.events(id))).toEqual([
      "charge.authorized 1 authorized",
      "payment.succeeded 2 succeeded",
    ]);
    expect((await shop.attempts(id))[1]).toMatchObject({ status: "approved" });
  });

  it.each<[string, Partial<NotificationItem>]>([
    ["a lower amount", { amount: { value: 4899, currency: "EUR" } }],
    ["a higher amount", { amount: { value: 49_000, currency: "EUR" } }],
    ["another currency", { amount: { value: 4900, currency: "USD" } }],
    ["a currency that isn't known", { amount: { value: 4900, currency: "XXX" } }],
  ])("about %s moves no money, and an item is raised", async (_what, more) => {
    const { id, authorization, capture } = await shop.pendingCapture();
    await shop.notify(itemAbout(capture, authorization, "CAPTURE", more));
    expect(await shop.merchant.read(`charges/${id}`)).toMatchObject({
      status: "authorized",
      pending_operation: "capture",
    });
    expect(await shop.ledger(id)).toEqual([]);
    expect(await shop.stored()).toEqual(["CAPTURE unmatched"]);
    expect(await shop.attention()).toMatchObject([
      {
        kind: "unexpected_notification",
        charge_id: id,
        attempt_id: capture.id,
        details: { acquirer_event: "CAPTURE" },
      },
    ]);
    await shop.notify(itemAbout(capture, authorization, "CAPTURE", { pspReference: "ANOTHERREFERENCE" }));
    expect(await shop.statusOf(id)).toBe("succeeded");
  });

  it("isn't affected by fields that aren't signed", async () => {
    const { id, authorization, capture } = await shop.pendingCapture();
    const [signed] = signedNotification(itemAbout(capture, authorization, "CAPTURE")).notificationItems;
    const item = signed?.NotificationRequestItem;
    const additionalData = {
      ...(item?.["additionalData"] as object),
      totalFraudScore: "99",
      "modification.amount": "1",
    };
    const NotificationRequestItem = {
      ...item,
      additionalData,
      reason: "Refused",
      operations: ["CANCEL"],
      eventDate: "1970-01-01",
    };
    expect((await send({ live: "false", notificationItems: [{ NotificationRequestItem }] })).status).toBe(200);
    await shop.notify();
    expect(await shop.statusOf(id)).toBe("succeeded");
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur"]);
  });
});

describe("a notification that doesn't fit", () => {
  it.each<[string, string, (ids: { charge: string; refund: string }) => string]>([
    ["an event that isn't known", "OFFER_CLOSED", () => "order-1"],
    ["a payment that isn't ours", "AUTHORISATION", () => "order-1"],
    ["a dispute about a payment that isn't ours", "CHARGEBACK", () => "order-1"],
    ["a payment that we don't have", "CAPTURE", () => newId("att", service.context.now(), shop.merchant.tenant)],
    ["an ID of a charge", "CAPTURE", ({ charge }) => charge],
    ["the capture of a refund", "CAPTURE", ({ refund }) => refund],
    ["the cancellation of a refund", "CANCELLATION", ({ refund }) => refund],
    ["the authorization of a refund", "AUTHORISATION", ({ refund }) => refund],
    ["the reversal of a payment that isn't being reversed", "TECHNICAL_CANCEL", ({ charge }) => charge],
  ])("is kept, and an item is raised: %s", async (_what, eventCode, referenceOf) => {
    const { id, authorization } = await shop.charge();
    await shop.merchant.refund(id, 1000);
    const before = await shop.merchant.read(`charges/${id}`);
    const refund = await shop.latest(id);
    const merchantReference = referenceOf({ charge: id, refund: refund.id });
    await shop.notify(
      itemOf(authorization, eventCode, { merchantReference, amount: { value: 1000, currency: "EUR" } }),
    );
    expect(await shop.stored()).toEqual([`${eventCode} unmatched`]);
    expect(await shop.attention()).toMatchObject([
      { kind: "unexpected_notification", details: { acquirer_event: eventCode } },
    ]);
    expect(await shop.merchant.read(`charges/${id}`)).toEqual(before);
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur"]);
  });

  it("raises an item for each payment of ours, even if its event isn't known", async () => {
    const charges = [await shop.charge(), await shop.charge()];
    for (const { authorization } of charges) await shop.notify(itemOf(authorization, "AUTHORISATION_ADJUSTMENT"));
    const [first, second] = charges;
    const about = { kind: "unexpected_notification", details: { amount: 4900, currency: "eur" } };
    expect(await shop.attention()).toMatchObject([
      { ...about, charge_id: first?.id, attempt_id: first?.authorization.id },
      { ...about, charge_id: second?.id, attempt_id: second?.authorization.id },
    ]);
  });

  it("raises one item for each event if it isn't about payments of ours, and another after that is resolved", async () => {
    const { authorization } = await shop.charge();
    const notify = async (merchantReference: string) =>
      await shop.notify(
        itemOf(authorization, "CHARGEBACK", { merchantReference, pspReference: `PSP${merchantReference}` }),
      );
    await notify("order-1");
    await notify("order-2");
    expect(await shop.stored()).toEqual(["CHARGEBACK unmatched", "CHARGEBACK unmatched"]);
    const [first, ...others] = await shop.attention();
    expect(others).toEqual([]);
    const { db, now } = service.context;
    const resolve = db.updateTable("attention").set({ resolved_at: now() });
    await resolve.where("id", "=", String(first?.id)).execute();
    await notify("order-3");
    await notify("order-4");
    expect(await shop.attention()).toMatchObject([
      { id: first?.id, details: { reference: "order-1" }, resolved_at: expect.any(Date) as Date },
      { details: { reference: "order-3" }, resolved_at: null },
    ]);
  });

  it("is kept without what looks like a card number", async () => {
    const number = "4242424242424242";
    const { authorization } = await shop.charge();
    const merchantReference = `card ${number}`;
    await shop.notify(
      itemOf(authorization, "CHARGEBACK", { merchantReference }),
      itemOf(authorization, "REFUND", { merchantReference, reason: `${number} refused`, success: "false" }),
    );
    const { db } = service.context;
    const storedRows = await db.selectFrom("acquirer_notification").select("contents").execute();
    expect(JSON.stringify([storedRows, await shop.attention()])).not.toContain(number);
    expect(await shop.stored()).toEqual(["CHARGEBACK unmatched", "REFUND unmatched"]);
  });

  it("is cleaned as well if it isn't stored, because it's one of too many with the same ID", async () => {
    const { authorization } = await shop.charge();
    const unclean = { merchantReference: "card 4242424242424242", reason: "\ud800" };
    for (let day = 1; day <= 11; day++) {
      await service.context.db.updateTable("attention").set({ resolved_at: new Date() }).execute();
      await shop.notify(itemOf(authorization, "CAPTURE_FAILED", { ...unclean, ...onDay(day) }));
    }
    expect(await shop.stored()).toHaveLength(10);
    const cleaned = { acquirer_event: "CAPTURE_FAILED", reference: null, reason: "\u{fffd}" };
    expect((await shop.attention()).at(-1)).toMatchObject({ resolved_at: null, details: cleaned });
    expect(JSON.stringify(await shop.merchant.events())).not.toContain("4242424242424242");
  });

  it("is tried again until what it's about is recorded", async () => {
    const { id, authorization, capture } = await shop.pendingCapture();
    const { db } = service.context;
    const isCapture = db.updateTable("attempt").where("id", "=", capture.id);
    await isCapture.set({ acquirer_id: null }).execute(); // as if the reply hadn't arrived yet
    await shop.notify(itemAbout(capture, authorization, "CAPTURE_FAILED"));
    expect(await shop.stored()).toEqual(["CAPTURE_FAILED received"]);
    expect(await shop.ledger(id)).toEqual([]);
    await isCapture.set({ acquirer_id: capture.acquirer_id }).execute();
    service.moveClock(60_000);
    await processDueNotifications(service.context);
    expect(await shop.stored()).toEqual(["CAPTURE_FAILED processed"]);
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur", "capture_failed -4900 eur"]);
    expect(await shop.attention()).toEqual([]);
  });

  it.each([
    ["capture", 3000],
    ["refund", 3000],
  ] as const)("waits for hours if it may be about a %s whose reply was lost", async (kind, amount) => {
    const { id, authorization } = await shop.charge(kind === "capture" ? manual : {});
    await adyen.addFaults({ match: { kind }, fault: "error_after" });
    expect((await shop.merchant[kind](id, amount)).status).toBe(503);
    const lost = { ...(await shop.latest(id)), acquirer_id: "PSPOFTHELOSTONE1" };
    const success = kind.toUpperCase();
    await shop.notify(itemAbout(lost, authorization, `${success}_FAILED`));
    await processUntilDone(service);
    expect(await shop.stored()).toEqual([`${success}_FAILED received`]);
    await shop.notify(itemAbout(lost, authorization, success));
    await processUntilDone(service);
    expect((await shop.stored()).toSorted()).toEqual([`${success} processed`, `${success}_FAILED processed`]);
    await adyen.clearFaults();
    const moved = (await shop.ledger(id)).filter((entry) => entry.includes("3000"));
    expect(moved).toEqual(
      kind === "capture"
        ? ["capture 3000 eur", "capture_failed -3000 eur"]
        : ["refund -3000 eur", "refund_failed 3000 eur"],
    );
    const open = (await shop.attention()).filter(({ resolved_at }) => resolved_at === null);
    expect(open).toMatchObject([{ kind: `${kind}_failed_late`, charge_id: id }]);
  });

  it("raises an item if nothing that it fits is recorded within an hour", async () => {
    const { id, authorization, capture } = await shop.pendingCapture();
    await shop.notify(itemAbout(capture, authorization, "CAPTURE"));
    await shop.notify(itemAbout(capture, authorization, "CAPTURE_FAILED", { pspReference: "ANOTHERREFERENCE" }));
    service.moveClock(3_000);
    await processDueNotifications(service.context);
    expect(await shop.stored()).toEqual(["CAPTURE processed", "CAPTURE_FAILED received"]);
    expect(await shop.attention()).toEqual([]);
    await processUntilDone(service);
    expect(await shop.stored()).toEqual(["CAPTURE processed", "CAPTURE_FAILED unmatched"]);
    expect(await shop.attention()).toMatchObject([{ kind: "unexpected_notification", charge_id: id }]);
  });
});

describe("the outcome of a payment whose reply was lost", () => {
  /** Adyen has it, but every reply is an error. */
  async function unknown(paymentMethod = "pm_card_visa") {
    await adyen.addFaults({ match: { kind: "authorization" }, fault: "error_after" });
    const response = await shop.merchant.charge(paymentMethod);
    expect(response).toMatchObject({ status: 503, body: { error: { code: "payment_outcome_unknown" } } });
    const [charge] = await shop.merchant.list("charges");
    const id = String(charge?.["id"]);
    const authorization = await shop.latest(id);
    return { id, authorization: { ...authorization, acquirer_id: "PSPOFTHEPAYMENT1" } };
  }
  afterEach(() => adyen.clearFaults());

  it("is known by a notification of the approval", async () => {
    const { id, authorization } = await unknown();
    await shop.notify(itemOf(authorization, "AUTHORISATION", { additionalData: { authCode: "044925" } }));
    expect(await shop.merchant.read(`charges/${id}`)).toMatchObject({ status: "succeeded", amount_captured: 4900 });
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur"]);
    expect((await shop.attempts(id))[0]).toMatchObject({ status: "approved", acquirer_id: "PSPOFTHEPAYMENT1" });
  });

  it("is known by a notification of the decline", async () => {
    const { id, authorization } = await unknown();
    await shop.notify(itemOf(authorization, "AUTHORISATION", { success: "false" }));
    await processForMinutes(service);
    expect(await shop.merchant.read(`charges/${id}`)).toMatchObject({
      status: "failed",
      failure: { decline_code: "generic_decline" },
    });
    expect(await shop.ledger(id)).toEqual([]);
  });

  it("is explained by the reply to a repeated request if that still arrives", async () => {
    const { id, authorization } = await unknown("pm_card_declined_insufficient_funds");
    await shop.notify(itemOf(authorization, "AUTHORISATION", { success: "false" }));
    expect((await shop.attempts(id))[0]).toMatchObject({ status: "processing" });
    await adyen.clearFaults();
    service.moveClock(1_500);
    const explained = { status: "failed", failure: { decline_code: "insufficient_funds" } };
    // A reader doesn't wait for a request that a worker is making.
    await until("the reply", async () => ((await shop.statusOf(id)) === "processing" ? null : true));
    expect(await shop.merchant.read(`charges/${id}`)).toMatchObject(explained);
    await processUntilDone(service);
    expect(await shop.merchant.read(`charges/${id}`)).toMatchObject(explained);
    expect(await shop.stored()).toEqual(["AUTHORISATION processed"]);
    expect(await shop.attention()).toEqual([]);
  });

  it("stays unknown if the notification has another amount", async () => {
    const { id, authorization } = await unknown();
    await shop.notify(itemOf(authorization, "AUTHORISATION", { amount: { value: 1, currency: "EUR" } }));
    expect(await shop.statusOf(id)).toBe("processing");
    expect(await shop.attention()).toMatchObject([{ kind: "unexpected_notification", charge_id: id }]);
  });

  it("waits for the authorization if its capture is reported first", async () => {
    const { id, authorization } = await unknown();
    await shop.notify(itemOf(authorization, "CAPTURE"));
    expect(await shop.statusOf(id)).toBe("processing");
    expect(await shop.stored()).toEqual(["CAPTURE received"]);
    await shop.notify(itemOf(authorization, "AUTHORISATION"));
    service.moveClock(60_000);
    await processDueNotifications(service.context);
    expect(await shop.stored()).toEqual(["CAPTURE processed", "AUTHORISATION processed"]);
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur"]);
  });

  it.each([
    ["true", "cancel", false],
    ["true", "refund", true],
    ["false", "cancel", true],
    ["false", "refund", false],
  ] as const)(
    "is undone if it's approved after it failed: CANCEL_OR_REFUND with success %s and the unsigned action %s, reply lost: %j",
    async (success, action, isReplyLost) => {
      const { id, authorization } = await unknown();
      const { payments } = await adyen.ledger(authorization.id);
      const approved = { ...authorization, acquirer_id: payments[0]?.pspReference ?? null };
      await shop.notify(itemOf(approved, "AUTHORISATION", { success: "false" }));
      await processForMinutes(service);
      expect(await shop.statusOf(id)).toBe("failed");
      await adyen.clearFaults();
      if (isReplyLost) await adyen.addFaults({ match: { kind: "refund" }, fault: "error_after" });
      await shop.notify(itemOf(approved, "AUTHORISATION"));
      const reversal = await until("the reversal to be sent", async () => {
        const latest = await shop.latest(id);
        const isSent = isReplyLost ? latest.calls > 0 : latest.accepted_at !== null;
        return latest.reversal === "refund" && isSent ? latest : null;
      });
      const additionalData = { "modification.action": action };
      const outcome = itemAbout(reversal, approved, "CANCEL_OR_REFUND", { success, additionalData });
      await shop.notify(outcome, outcome);
      if (success === "true") await shop.notify(itemAbout(reversal, approved, "REFUND"));
      expect(await shop.statusOf(id)).toBe("failed");
      const isDone = success === "true";
      expect(await shop.ledger(id)).toEqual(["capture 4900 eur", ...(isDone ? ["refund -4900 eur"] : [])]);
      expect((await shop.attention()).map(({ kind }) => kind)).toEqual(isDone ? [] : ["reversal_failed"]);
    },
  );

  it("is undone if it's approved after it failed, and needs no attention if its capture fails, with any dates", async () => {
    const { id, authorization } = await unknown();
    const { payments } = await adyen.ledger(authorization.id);
    const approved = { ...authorization, acquirer_id: payments[0]?.pspReference ?? null };
    await shop.notify(itemOf(approved, "AUTHORISATION", { success: "false" }));
    await processForMinutes(service);
    await adyen.clearFaults();
    await shop.notify(itemOf(approved, "AUTHORISATION"));
    await until("the reversal to be sent", async () => (await shop.latest(id)).accepted_at);
    for (const day of [1, 2]) await shop.notify(itemOf(approved, "CAPTURE_FAILED", onDay(day)));
    expect((await shop.stored()).filter((stored) => stored.startsWith("CAPTURE_FAILED"))).toHaveLength(2);
    expect(await shop.attention()).toEqual([]);
  });

  it("is a second payment if the same reference is approved with another ID, and an item is raised", async () => {
    const { id, authorization } = await shop.charge();
    await shop.notify(itemOf(authorization, "AUTHORISATION", { pspReference: "PSPOFANOTHERPAYM" }));
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur"]);
    expect((await shop.attempts(id))[0]).toMatchObject({ acquirer_id: authorization.acquirer_id });
    expect(await shop.attention()).toMatchObject([
      { kind: "unexpected_notification", charge_id: id, details: { acquirer_id: "PSPOFANOTHERPAYM" } },
    ]);
  });
});

describe("a signed notification that we can't use", () => {
  it("raises one item for all payments, because anyone can make it from one that was processed", async () => {
    for (const _payment of [1, 2]) {
      const { authorization } = await shop.charge();
      const item = itemOf(authorization, "AUTHORISATION");
      // The signature is the same, because it covers texts.
      const value = String(item.amount?.value) as unknown as number;
      await shop.notify(item, { ...item, amount: { value, currency: "EUR" } });
    }
    expect((await shop.stored()).toSorted()).toEqual([
      "AUTHORISATION processed",
      "AUTHORISATION processed",
      "AUTHORISATION unmatched",
      "AUTHORISATION unmatched",
    ]);
    expect(await shop.attention()).toMatchObject([{ kind: "unexpected_notification", resolved_at: null }]);
  });
});

describe("a second operation at the acquirer with the same reference", () => {
  const another = "PSPOFANOTHERONE1";
  const isListed = async (chargeId: string, acquirer_event: string) =>
    expect(await shop.attention()).toMatchObject([
      { kind: "unexpected_notification", charge_id: chargeId, details: { acquirer_event } },
    ]);

  it("moved money twice if it's a capture, and an item is raised", async () => {
    const { id, authorization, capture } = await shop.pendingCapture();
    await shop.notify(itemAbout(capture, authorization, "CAPTURE"));
    expect(await shop.attention()).toEqual([]);
    await shop.notify(itemAbout(capture, authorization, "CAPTURE", { pspReference: another }));
    await isListed(id, "CAPTURE");
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur", "capture_repeated 4900 eur"]);
  });

  it("moved money twice if it's a refund, and an item is raised", async () => {
    const { id, authorization } = await shop.charge();
    await shop.merchant.refund(id, 1500);
    const refund = await shop.latest(id);
    await shop.notify(itemAbout(refund, authorization, "REFUND"));
    expect(await shop.attention()).toEqual([]);
    await shop.notify(itemAbout(refund, authorization, "REFUND", { pspReference: another }));
    await isListed(id, "REFUND");
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur", "refund -1500 eur", "refund_repeated -1500 eur"]);
  });

  it("doesn't release the hold if it's a payment that expires", async () => {
    const { id, authorization } = await shop.charge(manual);
    await shop.notify(itemOf(authorization, "EXPIRE", { originalReference: another }));
    await isListed(id, "EXPIRE");
    expect(await shop.statusOf(id)).toBe("authorized");
  });

  it.each([
    ["CAPTURE_FAILED", "true"],
    ["CAPTURE", "false"],
  ] as const)("doesn't fail the charge if it's a payment with %s %s", async (eventCode, success) => {
    const { id, authorization } = await shop.charge();
    await shop.notify(itemOf(authorization, eventCode, { success, originalReference: another }));
    await isListed(id, eventCode);
    expect(await shop.statusOf(id)).toBe("succeeded");
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur"]);
  });

  it("isn't assumed if an expiration doesn't say which payment it's about", async () => {
    const { id, authorization } = await shop.charge(manual);
    await shop.notify(itemOf(authorization, "EXPIRE", { originalReference: "" }));
    expect(await shop.statusOf(id)).toBe("canceled");
    expect(await shop.attention()).toEqual([]);
  });
});

describe("a process that dies", () => {
  /** Stores a notification that no process is processing. */
  async function store(item: NotificationItem) {
    const { db, now, vault, acquirerAccounts } = service.context;
    const account = await acquirerAccounts.find(shop.merchant.tenant, shop.acquirerAccountId);
    const items = account && (await vault.readNotification(account, signedNotification(item)));
    const [notification] = Array.isArray(items) ? items : [];
    if (account === null || notification === undefined || "refused" in notification)
      throw new Error("It isn't authentic");
    const key = { ...ownerColumns(shop.merchant.tenant), acquirer_account_id: account.id, id: notification.id };
    const time = { next_try_at: new Date(now().getTime() + 30_000), received_at: now() };
    await db
      .insertInto("acquirer_notification")
      .values({ ...key, ...time, status: "received", contents: toContents(notification) })
      .execute();
    return { key, notification: notification };
  }

  it("after it stored a notification leaves it to a worker", async () => {
    const { id, authorization, capture } = await shop.pendingCapture();
    await store(itemAbout(capture, authorization, "CAPTURE"));
    await processDueNotifications(service.context);
    expect(await shop.statusOf(id)).toBe("authorized");
    service.moveClock(60_000);
    await processDueNotifications(service.context);
    await shop.notify();
    expect(await shop.statusOf(id)).toBe("succeeded");
  });

  it("after it applied a notification changes nothing twice", async () => {
    const { id, authorization, capture } = await shop.pendingCapture();
    const items = [
      itemAbout(capture, authorization, "CAPTURE"),
      itemAbout(capture, authorization, "CAPTURE_FAILED"),
      itemOf(authorization, "CHARGEBACK"),
    ];
    for (const item of items) {
      const { key, notification } = await store(item);
      expect(await apply(service.context, key, notification, { tries: 0, received_at: new Date() })).toMatchObject({
        result: "processed",
      });
    }
    service.moveClock(60_000);
    await processDueNotifications(service.context);
    await shop.notify();
    expect((await shop.stored()).toSorted()).toEqual([
      "CAPTURE processed",
      "CAPTURE_FAILED processed",
      "CHARGEBACK processed",
    ]);
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur", "capture_failed -4900 eur", "chargeback -4900 eur"]);
    const types = (await shop.merchant.events()).map(({ type }) => type);
    expect(types).toEqual([
      "charge.authorized",
      "payment.succeeded",
      "account.needs_attention",
      "charge.capture_failed",
      "dispute.created",
    ]);
  });
});

describe("an expired authorization", () => {
  it("cancels a charge that isn't captured", async () => {
    const { id, authorization } = await shop.charge(manual);
    await shop.notify(itemOf(authorization, "EXPIRE"));
    expect(await shop.statusOf(id)).toBe("canceled");
    expect(summarize(await shop.merchant.events(id))).toEqual([
      "charge.authorized 1 authorized",
      "charge.canceled 2 canceled",
    ]);
    expect(await shop.ledger(id)).toEqual([]);
  });

  it("waits for the outcome of a capture", async () => {
    const { id, authorization, capture } = await shop.pendingCapture();
    await shop.notify(itemOf(authorization, "EXPIRE"));
    expect(await shop.stored()).toEqual(["EXPIRE received"]);
    await shop.notify(itemAbout(capture, authorization, "CAPTURE", { success: "false" }));
    service.moveClock(60_000);
    await processDueNotifications(service.context);
    expect(await shop.statusOf(id)).toBe("canceled");
  });

  it("leaves a captured charge as it is", async () => {
    const { id, authorization, capture } = await shop.pendingCapture(3000);
    await shop.notify(itemAbout(capture, authorization, "CAPTURE"));
    await shop.notify(itemOf(authorization, "EXPIRE"));
    expect(await shop.merchant.read(`charges/${id}`)).toMatchObject({ status: "succeeded", amount_captured: 3000 });
    expect(await shop.stored()).toEqual(["CAPTURE processed", "EXPIRE processed"]);
  });
});
