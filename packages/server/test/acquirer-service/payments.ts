/** Payments, declines, stored cards and amounts: the same for every acquirer. */
import { describe, expect, it } from "vitest";
import type { DeclineCode } from "@oriel/protocol/declines";
import { cardNumbers } from "../setup/customer.ts";
import { expectError, type Refusal } from "../setup/expect-error.ts";
import { order, summarize } from "../setup/merchant.ts";
import { chargeWith, idOf, ledgerOf, nothing, refundWith, type AcquirerUnderTest } from "./acquirer-under-test.ts";

/** @param declines cards with the decline code that this acquirer's codes lead to */
export function describePayments(tested: () => AcquirerUnderTest, declines: [card: string, code: DeclineCode][]): void {
  describe("a payment", () => {
    testPayments(tested, declines);
  });
  describe("a stored card", () => {
    testStoredCards(tested);
  });
  describe("amounts", () => {
    testAmounts(tested);
  });
}

function testPayments(tested: () => AcquirerUnderTest, declines: [card: string, code: DeclineCode][]): void {
  it("is captured at once", async () => {
    const merchant = await tested().newMerchant();
    const checkout = await merchant.checkout();
    expect((await checkout.pay(cardNumbers.approved)).body).toMatchObject({ payment: { status: "succeeded" } });
    const charge = await merchant.chargeOf(checkout);
    expect(charge).toMatchObject({ status: "succeeded", amount_captured: 4900, pending_operation: null });
    expect(await checkout.session()).toMatchObject({ status: "complete", payment_status: "paid" });
    expect(await tested().moneyOf(String(charge["decision_id"]))).toEqual({ ...nothing, captured: 4900 });
    expect(await ledgerOf(merchant, idOf(charge))).toEqual(["capture 4900 eur"]);
    expect(summarize(await merchant.events(idOf(charge)))).toEqual(["payment.succeeded 1 succeeded"]);
  });

  it("is reserved until it's captured", async () => {
    const merchant = await tested().newMerchant();
    const checkout = await merchant.checkout({ capture_method: "manual" });
    await checkout.pay(cardNumbers.approved);
    const charge = await merchant.chargeOf(checkout);
    expect(charge).toMatchObject({ status: "authorized", amount_captured: 0, pending_operation: null });
    expect(await tested().moneyOf(String(charge["decision_id"]))).toEqual({ ...nothing, reserved: 4900 });
    expect(await ledgerOf(merchant, idOf(charge))).toEqual([]);
    expect(summarize(await merchant.events(idOf(charge)))).toEqual(["charge.authorized 1 authorized"]);
  });

  it("is made once, however often and concurrently it's requested", async () => {
    const merchant = await tested().newMerchant();
    const { id: decision_id } = await merchant.decide("pm_card_visa");
    const request = { ...order, payment_method_id: "pm_card_visa", decision_id };
    const send = () => merchant.call("POST", "/api/v1/charges", request, { "idempotency-key": "once" });
    const responses = await Promise.all(Array.from({ length: 5 }, send));
    const again = await send();
    const done = responses.filter(({ status }) => status === 200);
    expect(done.length).toBeGreaterThan(0);
    expect(responses.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    expect(done.map(({ text }) => text)).toEqual(done.map(() => again.text));
    expect(await tested().countAuthorizations(String(decision_id))).toBe(1);
    expect(await tested().moneyOf(String(decision_id))).toEqual({ ...nothing, captured: 4900 });
    expect(await ledgerOf(merchant, String(again.body["id"]))).toEqual(["capture 4900 eur"]);
  });

  it.each(declines)("with card %s is declined with %s, and the customer can try another card", async (card, code) => {
    const merchant = await tested().newMerchant();
    const checkout = await merchant.checkout();
    const { payment } = (await checkout.pay(card)).body;
    expect(payment).toMatchObject({ status: "declined", retryable: true });
    const [failed] = await merchant.list(`charges?session_id=${checkout.sessionId}`);
    expect(failed).toMatchObject({ status: "failed", failure: { code: "card_declined", decline_code: code } });
    expect(await tested().moneyOf(String(failed?.["decision_id"]))).toEqual(nothing);
    expect(summarize(await merchant.events(String(failed?.["id"])))).toEqual(["payment_failed 1 failed"]);
    expect((await checkout.pay(cardNumbers.approved)).body["payment"]).toMatchObject({ status: "succeeded" });
  });

  it("that the API declines returns the decline code, again if it's repeated", async () => {
    const merchant = await tested().newMerchant();
    const declined: Refusal = {
      status: 402,
      type: "card_error",
      code: "card_declined",
      decline_code: "generic_decline",
    };
    const first = await merchant.charge("pm_card_declined_generic", {}, "declined");
    expectError(first, declined);
    const [failed] = await merchant.list("charges");
    const request = { ...order, payment_method_id: "pm_card_declined_generic", decision_id: failed?.["decision_id"] };
    const again = await merchant.call("POST", "/api/v1/charges", request, { "idempotency-key": "declined" });
    expect(again.text).toBe(first.text);
    expect(await tested().countAuthorizations(String(failed?.["decision_id"]))).toBe(1);
  });
}

function testStoredCards(tested: () => AcquirerUnderTest): void {
  it("is verified without moving money, and charged without the customer", async () => {
    const merchant = await tested().newMerchant();
    const checkout = await merchant.checkout({ mode: "setup" });
    const { payment } = (await checkout.pay(cardNumbers.approved)).body;
    expect(payment).toMatchObject({ status: "succeeded" });
    const saved = String((await checkout.session())["payment_method_id"]);
    expect(await tested().moneyOf(String(payment?.["id"]))).toEqual(nothing);
    expect(await tested().countAuthorizations(String(payment?.["id"]))).toBe(1);
    const charge = await merchant.charge(saved);
    expect(charge.body).toMatchObject({ status: "succeeded", amount_captured: 4900 });
    expect(await tested().moneyOf(String(charge.body["decision_id"]))).toEqual({ ...nothing, captured: 4900 });
  });

  it("isn't stored if its verification is declined", async () => {
    const merchant = await tested().newMerchant();
    const checkout = await merchant.checkout({ mode: "setup" });
    const { payment } = (await checkout.pay(cardNumbers.declined)).body;
    expect(payment).toMatchObject({ status: "declined" });
    expect(await checkout.session()).toMatchObject({ status: "open", payment_method_id: null });
    expect(await tested().moneyOf(String(payment?.["id"]))).toEqual(nothing);
  });

  it("is stored by a payment, and charged again", async () => {
    const merchant = await tested().newMerchant();
    const checkout = await merchant.checkout({ save_payment_method: true });
    await checkout.pay(cardNumbers.approved);
    const saved = String((await checkout.session())["payment_method_id"]);
    expect((await merchant.charge(saved)).body).toMatchObject({ status: "succeeded" });
    expect((await merchant.charge(saved)).body).toMatchObject({ status: "succeeded" });
  });
}

function testAmounts(tested: () => AcquirerUnderTest): void {
  // Currencies with each number of decimals, and those in which an acquirer's unit could differ from ISO 4217's.
  it.each([
    ["eur", 4900],
    ["jpy", 4901],
    ["kwd", 4_901_005],
    ["clp", 4901],
    ["isk", 4901],
    ["idr", 1_500_100],
    ["cve", 490_100],
    ["eur", 999_999_999_999],
  ])("in %s are the acquirer's: %i", async (currency, amount) => {
    const merchant = await tested().newMerchant();
    const money = { amount, currency };
    const { id: decision_id } = await merchant.decide("pm_card_visa", money);
    const request = { ...money, payment_method_id: "pm_card_visa", decision_id, capture_method: "manual" };
    const charge = (await merchant.call("POST", "/api/v1/charges", request)).body;
    expect(await tested().moneyOf(String(decision_id))).toEqual({ ...nothing, reserved: amount });
    await merchant.capture(idOf(charge), amount - 100);
    await chargeWith(merchant, idOf(charge), "succeeded");
    const refund = (await merchant.refund(idOf(charge), 100)).body;
    await refundWith(merchant, idOf(refund), "succeeded");
    expect(await tested().moneyOf(String(decision_id))).toEqual({
      reserved: 0,
      captured: amount - 100,
      refunded: 100,
    });
    expect(await ledgerOf(merchant, idOf(charge))).toEqual([
      `capture ${amount - 100} ${currency}`,
      `refund -100 ${currency}`,
    ]);
  });
}
