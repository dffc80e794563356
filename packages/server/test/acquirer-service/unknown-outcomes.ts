/** Requests whose response was lost, for acquirers with and without a lookup. */
import { describe, expect, it } from "vitest";
import { cardNumbers } from "../setup/customer.ts";
import { expectError, type Refusal } from "../setup/expect-error.ts";
import { order, summarize, type Merchant } from "../setup/merchant.ts";
import type { ApiResponse } from "../setup/test-service.ts";
import { until } from "../setup/until.ts";
import {
  chargeWith,
  ledgerOf,
  nothing,
  openAttention,
  resume,
  type AcquirerUnderTest,
  type NotifyingAcquirer,
} from "./acquirer-under-test.ts";
import { laterKinds, prepare } from "./operations.ts";

const unknown: Refusal = { status: 503, type: "api_error", code: "payment_outcome_unknown" };
const whens = ["before", "after"] as const;
const minuteMs = 60_000;

export function describeUnknownOutcomes(tested: () => AcquirerUnderTest): void {
  describe.each(whens)("a response that was lost %s the acquirer did the work", (when) => {
    it.each(laterKinds)("to a %s is found, and money moves once", async (kind) => {
      const merchant = await tested().newMerchant();
      const operation = await prepare(merchant, kind);
      await tested().loseResponses(kind, when);
      expectError(await operation.send(), unknown);
      expect(await operation.events()).toEqual([]);
      expect(await ledgerOf(merchant, String(operation.charge["id"]))).toEqual(
        kind === "refund" ? ["capture 4900 eur"] : [],
      );
      await tested().stopLosing();
      await resume(tested(), minuteMs);
      await operation.done();
      expect(await tested().moneyOf(operation.decisionId)).toEqual(operation.after);
      expect(await operation.events()).toEqual(operation.expectedEvents);
      expect(await ledgerOf(merchant, String(operation.charge["id"]))).toEqual(operation.ledger);
      expect((await operation.send()).status).toBe(200);
    });

    it.each(["automatic", "manual"])("to an authorization with %s capture is found", async (capture_method) => {
      const merchant = await tested().newMerchant();
      const { response, decisionId, send } = await losePayment(tested(), merchant, when, { capture_method });
      expectError(response, unknown);
      expect(await tested().countAuthorizations(decisionId)).toBe(when === "before" ? 0 : 1);
      await tested().stopLosing();
      await resume(tested(), minuteMs);
      const status = capture_method === "automatic" ? "succeeded" : "authorized";
      const charge = await chargeWith(merchant, await chargeIdOf(merchant), status);
      expect((await send()).body).toEqual(charge);
      expect(await tested().countAuthorizations(decisionId)).toBe(1);
      expect(await tested().moneyOf(decisionId)).toEqual(
        status === "succeeded" ? { ...nothing, captured: 4900 } : { ...nothing, reserved: 4900 },
      );
      const event = status === "succeeded" ? "payment.succeeded" : "charge.authorized";
      expect(summarize(await merchant.events(String(charge["id"])))).toEqual([`${event} 1 ${status}`]);
    });

    it("to the payment of a customer is found, and the customer sees that it succeeded", async () => {
      const merchant = await tested().newMerchant();
      const checkout = await merchant.checkout();
      await tested().loseResponses("authorize", when);
      const { payment } = (await checkout.pay(cardNumbers.approved)).body;
      expect(payment).toMatchObject({ status: "processing" });
      await tested().stopLosing();
      await resume(tested(), minuteMs);
      await until("the payment", async () => {
        const now = (await checkout.payment(String(payment?.["id"]))).body["payment"];
        return String(now?.["status"]) === "succeeded" ? now : null;
      });
      expect(await tested().moneyOf(String(payment?.["id"]))).toEqual({ ...nothing, captured: 4900 });
    });
  });
}

/** For acquirers that can look up a reference. */
export function describeLookups(tested: () => AcquirerUnderTest): void {
  describe("a lookup", () => {
    it("finds an authorization long after it was sent", async () => {
      const merchant = await tested().newMerchant();
      const { decisionId } = await losePayment(tested(), merchant, "after");
      await resume(tested(), 60 * minuteMs);
      expect(await merchant.read(`charges/${await chargeIdOf(merchant)}`)).toMatchObject({ status: "processing" });
      await tested().stopLosing();
      await resume(tested(), 60 * minuteMs);
      await chargeWith(merchant, await chargeIdOf(merchant), "succeeded");
      expect(await tested().moneyOf(decisionId)).toEqual({ ...nothing, captured: 4900 });
    });

    it("shows that an authorization never arrived, and it fails when its time is over", async () => {
      const merchant = await tested().newMerchant();
      const { decisionId } = await losePayment(tested(), merchant, "before");
      await resume(tested(), 21 * minuteMs);
      await tested().stopLosing();
      await resume(tested(), 60 * minuteMs);
      const charge = await chargeWith(merchant, await chargeIdOf(merchant), "failed");
      expect(charge).toMatchObject({ failure: { decline_code: "processing_error" } });
      expect(await tested().countAuthorizations(decisionId)).toBe(0);
    });
  });
}

/** For acquirers without a lookup. */
export function describeReplays(tested: () => NotifyingAcquirer): void {
  describe("an authorization that can't be sent again", () => {
    it.each(["automatic", "manual"])(
      "succeeds with %s capture if its notification arrives first",
      async (capture_method) => {
        const merchant = await tested().newMerchant();
        const { decisionId } = await losePayment(tested(), merchant, "after", { capture_method });
        tested().holdNotifications(false); // while all responses are still lost
        const status = capture_method === "automatic" ? "succeeded" : "authorized";
        await chargeWith(merchant, await chargeIdOf(merchant), status);
        await tested().stopLosing();
        await resume(tested(), 60 * minuteMs);
        expect(await merchant.read(`charges/${await chargeIdOf(merchant)}`)).toMatchObject({ status });
        expect(await tested().countAuthorizations(decisionId)).toBe(1);
        expect(await openAttention(tested(), merchant)).toEqual([]);
      },
    );

    it("is reversed, and the late notification of its approval changes nothing", async () => {
      const merchant = await tested().newMerchant();
      const { decisionId } = await losePayment(tested(), merchant, "after", { capture_method: "manual" });
      expect(await tested().moneyOf(decisionId)).toEqual({ ...nothing, reserved: 4900 });
      await tested().stopLosing();
      tested().holdNotifications(true);
      await resume(tested(), 15 * minuteMs);
      expect(await tested().moneyOf(decisionId)).toEqual(nothing);
      tested().holdNotifications(false);
      await expectFailed(merchant);
      expect(await tested().countAuthorizations(decisionId)).toBe(1);
      expect(await tested().moneyOf(decisionId)).toEqual(nothing);
      expect(await ledgerOf(merchant, await chargeIdOf(merchant))).toEqual([]);
      expect(await openAttention(tested(), merchant)).toEqual([]);
    });

    it("is refunded if it was captured at once", async () => {
      const merchant = await tested().newMerchant();
      const { decisionId } = await losePayment(tested(), merchant, "after");
      await tested().stopLosing();
      tested().holdNotifications(true);
      await resume(tested(), 15 * minuteMs);
      expect(await tested().moneyOf(decisionId)).toEqual({ ...nothing, captured: 4900 });
      tested().holdNotifications(false);
      await expectFailed(merchant);
      await until("the refund", async () => {
        const { refunded } = await tested().moneyOf(decisionId);
        return refunded === 4900 ? refunded : null;
      });
      const chargeId = await chargeIdOf(merchant);
      await until("the entries in the ledger", async () =>
        (await ledgerOf(merchant, chargeId)).length === 2 ? true : null,
      );
      expect(await ledgerOf(merchant, chargeId)).toEqual(["capture 4900 eur", "refund -4900 eur"]);
      expect(await merchant.list(`refunds?charge_id=${chargeId}`)).toEqual([]);
      expect(await openAttention(tested(), merchant)).toEqual([]);
    });

    it("that never arrived stays open, and an item is raised once after 24 hours", async () => {
      const merchant = await tested().newMerchant();
      const { decisionId } = await losePayment(tested(), merchant, "before");
      await tested().stopLosing();
      await resume(tested(), 15 * minuteMs);
      expect(await tested().countAuthorizations(decisionId)).toBe(0);
      await until("the outcome of the reversal", async () =>
        (await openReversals(merchant)).length === 0 ? true : null,
      );
      expect(await openAttention(tested(), merchant)).toEqual([]);
      for (const hours of [12, 13, 24]) await resume(tested(), hours * 60 * minuteMs);
      expect(await openAttention(tested(), merchant)).toEqual(["outcome_unknown"]);
      expect(await merchant.read(`charges/${await chargeIdOf(merchant)}`)).toMatchObject({ status: "processing" });
      expect(await tested().countAuthorizations(decisionId)).toBe(0);
    });

    it("of a customer is reversed, and the customer can pay again", async () => {
      const merchant = await tested().newMerchant();
      const checkout = await merchant.checkout({ capture_method: "manual" });
      await tested().loseResponses("authorize", "after");
      const id = String((await checkout.pay(cardNumbers.approved)).body["payment"]?.["id"]);
      await tested().stopLosing();
      tested().holdNotifications(true);
      await resume(tested(), 15 * minuteMs);
      tested().holdNotifications(false);
      await until("the decline", async () => {
        const payment = (await checkout.payment(id)).body["payment"];
        return String(payment?.["status"]) === "declined" ? payment : null;
      });
      expect((await checkout.pay(cardNumbers.approved)).body["payment"]).toMatchObject({ status: "succeeded" });
      expect(await tested().moneyOf(id)).toEqual(nothing);
    });
  });

  async function expectFailed(merchant: Merchant): Promise<void> {
    const charge = await chargeWith(merchant, await chargeIdOf(merchant), "failed");
    expect(charge).toMatchObject({ amount_captured: 0, failure: { decline_code: "processing_error" } });
    expect(summarize(await merchant.events(String(charge["id"])))).toEqual(["payment_failed 1 failed"]);
  }

  async function openReversals({ tenant }: Merchant) {
    const attempts = tested().service.context.db.selectFrom("attempt").select("id");
    const open = attempts.where("account_no", "=", tenant.accountNo).where("kind", "=", "reverse");
    return await open.where("status", "=", "processing").execute();
  }
}

/** A charge by the API with a card that a customer has saved, whose response is lost. */
async function losePayment(
  acquirer: AcquirerUnderTest,
  merchant: Merchant,
  when: "before" | "after",
  more: object = {},
): Promise<{ response: ApiResponse; decisionId: string; send: () => Promise<ApiResponse> }> {
  const { id: decision_id } = await merchant.decide("pm_card_visa");
  const request = { ...order, payment_method_id: "pm_card_visa", decision_id, ...more };
  const send = () => merchant.call("POST", "/api/v1/charges", request, { "idempotency-key": "lost" });
  await acquirer.loseResponses("authorize", when);
  return { response: await send(), decisionId: String(decision_id), send };
}

async function chargeIdOf(merchant: Merchant): Promise<string> {
  return String((await merchant.list("charges"))[0]?.["id"]);
}
