/**
 * Tests every decline a bank can send, using the sandbox bank's card for it. The merchant's server gets 402 with the
 * decline code, the charge keeps the code and its advice, and the customer sees only what is safe to show.
 */
import { describe, expect, it } from "vitest";
import {
  customerReason,
  declineAdvice,
  declineCodes,
  type DeclineAdvice,
  type DeclineCode,
} from "@oriel/protocol/declines";
import { testCards } from "@oriel/protocol/test-cards";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { expectError } from "./setup/expect-error.ts";
import { newMerchant, order } from "./setup/merchant.ts";
import { startTestService } from "./setup/test-service.ts";

const service = await openForTests(startTestService());
const merchant = await newMerchant(service);

/** What the card networks allow after each decline, including the declines that must never be retried. */
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
  codes.map((code) => ({ code, advice, number: numberOf(code) })),
);

/** The sandbox bank's card for a decline code, or empty if no bank sends that code. */
function numberOf(code: DeclineCode): string {
  return code in testCards ? testCards[code as keyof typeof testCards] : ""; // `in` shows that it is a key
}

describe("a declined card", () => {
  it("exists in the sandbox for every code that a bank can send", () => {
    // Oriel sets the other codes itself, for its own risk rules and failed 3-D Secure.
    const banks = declineCodes.filter(
      (code) =>
        code !== "risk_rejected" && !/^authentication_(failed|rejected|canceled|timed_out|unavailable)$/.test(code),
    );
    expect(declineCodes.filter(numberOf).sort()).toEqual([...banks].sort());
    expect(table.map(({ code }) => code).sort()).toEqual([...banks].sort());
    for (const { code, advice } of table) expect(declineAdvice(code)).toBe(advice);
  });

  it.each(table)("returns 402 for $code with the advice $advice", async ({ code, advice, number }) => {
    const checkout = await merchant.checkout({ confirmation: "server" });
    const { id, payment_method_id } = (await checkout.pay(number)).body["payment"] ?? {};
    const request = { ...order, payment_method_id, decision_id: id };
    const response = await merchant.call("POST", "/api/v1/charges", request, { "idempotency-key": code });
    expectError(response, { status: 402, type: "card_error", code: "card_declined", decline_code: code });
    expect((await merchant.call("POST", "/api/v1/charges", request, { "idempotency-key": code })).text).toBe(
      response.text,
    );
    const failure = { code: "card_declined", decline_code: code, advice, message: response.body["error"]?.["message"] };
    const [charge] = await merchant.list(`charges?session_id=${checkout.sessionId}`);
    expect(charge).toMatchObject({ status: "failed", amount_captured: 0, failure });
    const [event] = await merchant.events(String(charge?.["id"]));
    expect(event).toMatchObject({ type: "payment_failed", data: { object: { failure } } });

    // The customer sees only these fields.
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

  it("looks like any other decline to the customer if it must not be retried, to reveal nothing about stolen cards", () => {
    // A duplicate says nothing about the card.
    const others = advices.do_not_try_again.filter((code) => code !== "duplicate_transaction");
    expect(new Set(others.map((code) => customerReason(code)))).toEqual(new Set(["declined"]));
  });

  it("isn't reported as a duplicate if the card is only saved, because nothing can be charged twice", async () => {
    const checkout = await merchant.checkout({ mode: "setup", amount: undefined, currency: undefined });
    const { body } = await checkout.pay(numberOf("duplicate_transaction"));
    expect(body["payment"]).toMatchObject({ status: "declined", reason: "declined" });
  });

  it("looks the same to the customer whether it is lost, stolen, blocked or simply declined", async () => {
    const seen = new Set<string>();
    for (const code of [
      "generic_decline",
      "lost_card",
      "stolen_card",
      "fraudulent",
      "merchant_blacklist",
      "pickup_card",
    ] as const) {
      const { body } = await (await merchant.checkout()).pay(numberOf(code));
      const { id: _, ...payment } = body["payment"] as Record<string, unknown>;
      seen.add(JSON.stringify([payment, body["session"]]));
    }
    expect(seen.size).toBe(1);
  });
});
