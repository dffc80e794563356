/** Predefined payment methods for test mode, which need no browser. */

export const testPaymentMethodIds = [
  "pm_card_visa",
  "pm_card_mastercard",
  "pm_card_declined_insufficient_funds",
  "pm_card_declined_generic",
  "pm_card_three_d_secure_required",
] as const;

export type TestPaymentMethodId = (typeof testPaymentMethodIds)[number];

export function isTestPaymentMethodId(id: string): id is TestPaymentMethodId {
  return (testPaymentMethodIds as readonly string[]).includes(id); // widened, so that it accepts any ID
}
