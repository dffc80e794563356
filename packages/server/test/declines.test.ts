/**
 * Every way a bank says no, with the bank's card for it: the merchant's server gets 402 with the decline code, the charge keeps it with its advice,
 * and the customer learns no more than a customer may.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { customerReason, declineAdvice, declineCodes, type DeclineAdvice, type DeclineCode } from "@oriel/protocol/declines";
import { expectRefusal } from "./setup/expect-refusal.ts";
import { newMerchant, order, type Merchant } from "./setup/merchant.ts";
import { startTestService, type TestService } from "./setup/test-service.ts";

let service: TestService;
let merchant: Merchant;
beforeAll(async () => {
  service = await startTestService();
  merchant = await newMerchant(service);
});
afterAll(() => service.close());

/** As the bank publishes them. */
const cards: Partial<Record<DeclineCode, string>> = {
  generic_decline: "4000000000000002",
  insufficient_funds: "4000000000009995",
  card_velocity_exceeded: "4000000000006975",
  stolen_card: "4000000000009979",
  lost_card: "4000000000009987",
  fraudulent: "4100000000000019",
  expired_card: "4000000000000069",
  incorrect_cvc: "4000000000000127",
  incorrect_zip: "4000000000000036",
  incorrect_address: "4000000000000028",
  processing_error: "4000000000000119",
  do_not_honor: "4000000000001018",
  withdrawal_count_limit_exceeded: "4000000000001026",
  incorrect_number: "4000000000001034",
  invalid_number: "4000000000001042",
  invalid_cvc: "4000000000001059",
  invalid_expiry_month: "4000000000001067",
  invalid_expiry_year: "4000000000001075",
  authentication_required: "4000000000001083",
  authentication_not_handled: "4000000000001091",
  approve_with_id: "4000000000001109",
  issuer_not_available: "4000000000001117",
  reenter_transaction: "4000000000001125",
  call_issuer: "4000000000001133",
  card_not_supported: "4000000000001141",
  currency_not_supported: "4000000000001158",
  transaction_not_allowed: "4000000000001166",
  duplicate_transaction: "4000000000001174",
  merchant_blacklist: "4000000000001182",
  pickup_card: "4000000000001190",
  revocation_of_authorization: "4000000000001208",
  revocation_of_all_authorizations: "4000000000001216",
  stop_payment_order: "4000000000001224",
};

/** What a program may do, and what may never be tried again, as the card networks have it. */
const advices: Record<DeclineAdvice, DeclineCode[]> = {
  try_again_later: [
    "generic_decline",
    "do_not_honor",
    "insufficient_funds",
    "card_velocity_exceeded",
    "withdrawal_count_limit_exceeded",
    "approve_with_id",
    "issuer_not_available",
    "processing_error",
    "reenter_transaction",
    "call_issuer",
  ],
  confirm_card_data: [
    "expired_card",
    "incorrect_number",
    "invalid_number",
    "incorrect_cvc",
    "invalid_cvc",
    "invalid_expiry_month",
    "invalid_expiry_year",
    "incorrect_zip",
    "incorrect_address",
    "authentication_required",
    "authentication_not_handled",
  ],
  do_not_try_again: [
    "card_not_supported",
    "currency_not_supported",
    "transaction_not_allowed",
    "duplicate_transaction",
    "lost_card",
    "stolen_card",
    "fraudulent",
    "merchant_blacklist",
    "pickup_card",
    "revocation_of_authorization",
    "revocation_of_all_authorizations",
    "stop_payment_order",
  ],
};

const table = Object.entries(advices).flatMap(([advice, codes]) =>
  codes.map((code) => ({ code, advice, number: cards[code] ?? "" })),
);

describe("a card that its bank declines", () => {
  it("is there for every code that a bank can give", () => {
    // The others are our own, and what 3-D Secure ended in.
    const banks = declineCodes.filter(
      (code) => code !== "risk_rejected" && !/^authentication_(failed|rejected|canceled|timed_out|unavailable)$/.test(code),
    );
    expect(Object.keys(cards).sort()).toEqual([...banks].sort());
    expect(table.map(({ code }) => code).sort()).toEqual([...banks].sort());
    for (const { code, advice } of table) expect(declineAdvice(code)).toBe(advice);
  });

  it.each(table)("with $code is 402, and advises: $advice", async ({ code, advice, number }) => {
    const checkout = await merchant.checkout({ confirmation: "server" });
    const { id, payment_method_id } = (await checkout.pay(number)).body["payment"] ?? {};
    const request = { ...order, payment_method_id, decision_id: id };
    const answer = await merchant.call("POST", "/api/v1/charges", request, { "idempotency-key": code });
    expectRefusal(answer, { status: 402, type: "card_error", code: "card_declined", decline_code: code });
    expect((await merchant.call("POST", "/api/v1/charges", request, { "idempotency-key": code })).text).toBe(answer.text);
    const failure = { code: "card_declined", decline_code: code, advice, message: answer.body["error"]?.["message"] };
    const [charge] = await merchant.list(`charges?session_id=${checkout.sessionId}`);
    expect(charge).toMatchObject({ status: "failed", amount_captured: 0, failure });
    const [event] = await merchant.events(String(charge?.["id"]));
    expect(event).toMatchObject({ type: "payment_failed", data: { object: { failure } } });

    // The customer hears no more than that.
    const seen = await checkout.payment(String(id));
    expect(seen.body["payment"]).toEqual({
      id,
      status: "declined",
      reason: customerReason(code),
      cardholder_info: null,
      challenge_outcome: null,
      retryable: true,
    });
  });

  it("for good is only declined to the customer, so that the form is no oracle about a stolen card", () => {
    expect(new Set(advices.do_not_try_again.map((code) => customerReason(code)))).toEqual(new Set(["declined"]));
  });

  it("looks alike to the customer, whether it was lost, stolen, black-listed or only declined", async () => {
    const seen = new Set<string>();
    for (const code of [
      "generic_decline",
      "lost_card",
      "stolen_card",
      "fraudulent",
      "merchant_blacklist",
      "pickup_card",
    ] as const) {
      const { body } = await (await merchant.checkout()).pay(cards[code] ?? "");
      const { id: _, ...payment } = body["payment"] as Record<string, unknown>;
      seen.add(JSON.stringify([payment, body["session"]]));
    }
    expect(seen.size).toBe(1);
  });
});
