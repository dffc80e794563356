/**
 * Payment methods that exist in test mode without a browser, so that curl and tests can charge. Their cards are the sandbox bank's
 * published test numbers; in live mode they do not exist.
 */
import { isTestPaymentMethodId, type TestPaymentMethodId } from "@oriel/protocol/test-payment-methods";
import type { Card } from "./card-store.ts";

const numbers: Record<TestPaymentMethodId, string> = {
  pm_card_visa: "4242424242424242",
  pm_card_mastercard: "5555555555554444",
  pm_card_declined_insufficient_funds: "4000000000009995",
  pm_card_declined_generic: "4000000000000002",
  pm_card_three_d_secure_required: "4000002760003184",
};

/** The card of a test payment method, never expired; null for any other id. */
export function testCard(paymentMethodId: string, now: Date): Card | null {
  if (!isTestPaymentMethodId(paymentMethodId)) return null;
  return { number: numbers[paymentMethodId], exp_month: 12, exp_year: now.getUTCFullYear() + 3 };
}
