/**
 * Payment methods that exist in test mode, so that curl and tests can charge without a browser. Their cards are the
 * sandbox bank's published test numbers. They don't exist in live mode.
 */
import { testCards } from "@oriel/protocol/test-cards";
import { isTestPaymentMethodId, type TestPaymentMethodId } from "@oriel/protocol/test-payment-methods";
import type { Card } from "./card-store.ts";

const numbers: Record<TestPaymentMethodId, string> = {
  pm_card_visa: testCards.visa,
  pm_card_mastercard: testCards.mastercard,
  pm_card_declined_insufficient_funds: testCards.insufficient_funds,
  pm_card_declined_generic: testCards.generic_decline,
  pm_card_three_d_secure_required: testCards.visa_3ds_challenge,
};

/** Returns the card of a test payment method, which never expires, or null for any other ID. */
export function testCard(paymentMethodId: string, now: Date): Card | null {
  if (!isTestPaymentMethodId(paymentMethodId)) return null;
  return { number: numbers[paymentMethodId], exp_month: 12, exp_year: now.getUTCFullYear() + 3 };
}
