/**
 * Decline codes: from the acquirer, from our risk rules and from 3-D Secure, each with advice for the merchant and a
 * reason for the customer.
 *
 * The merchant sees the code and the advice. The customer sees only the coarser {@link customerReason}: stolen, lost,
 * fraudulent and generic look the same, so the form doesn't help someone test stolen cards. `docs/api/errors.md`
 * explains every code.
 */

/** Whether to retry after a decline: never, with corrected card data, or later. */
export type DeclineAdvice = "do_not_try_again" | "confirm_card_data" | "try_again_later";

/** The reason shown to the customer. */
export const customerReasons = [
  "declined",
  "insufficient_funds",
  "expired_card",
  "check_card",
  /** The payment just before may have succeeded, so this one says neither that nothing was charged nor "try again". */
  "duplicate",
  "authentication_failed",
  "authentication_canceled",
  "authentication_timed_out",
  "try_again",
] as const;

export type CustomerReason = (typeof customerReasons)[number];

/**
 * Card networks fine merchants for retries that aren't allowed. The advice follows Visa's response code categories.
 */
const declines = {
  generic_decline: { advice: "try_again_later", customer: "declined" },
  do_not_honor: { advice: "try_again_later", customer: "declined" },
  insufficient_funds: { advice: "try_again_later", customer: "insufficient_funds" },
  card_velocity_exceeded: { advice: "try_again_later", customer: "declined" },
  withdrawal_count_limit_exceeded: { advice: "try_again_later", customer: "declined" },
  expired_card: { advice: "confirm_card_data", customer: "expired_card" },
  incorrect_number: { advice: "confirm_card_data", customer: "check_card" },
  invalid_number: { advice: "confirm_card_data", customer: "check_card" },
  incorrect_cvc: { advice: "confirm_card_data", customer: "check_card" },
  invalid_cvc: { advice: "confirm_card_data", customer: "check_card" },
  invalid_expiry_month: { advice: "confirm_card_data", customer: "check_card" },
  invalid_expiry_year: { advice: "confirm_card_data", customer: "check_card" },
  incorrect_zip: { advice: "confirm_card_data", customer: "check_card" },
  incorrect_address: { advice: "confirm_card_data", customer: "check_card" },
  authentication_required: { advice: "confirm_card_data", customer: "authentication_failed" },
  authentication_not_handled: { advice: "confirm_card_data", customer: "authentication_failed" },
  approve_with_id: { advice: "try_again_later", customer: "try_again" },
  issuer_not_available: { advice: "try_again_later", customer: "try_again" },
  processing_error: { advice: "try_again_later", customer: "try_again" },
  reenter_transaction: { advice: "try_again_later", customer: "try_again" },
  call_issuer: { advice: "try_again_later", customer: "declined" },
  card_not_supported: { advice: "do_not_try_again", customer: "declined" },
  currency_not_supported: { advice: "do_not_try_again", customer: "declined" },
  transaction_not_allowed: { advice: "do_not_try_again", customer: "declined" },
  duplicate_transaction: { advice: "do_not_try_again", customer: "duplicate" },
  lost_card: { advice: "do_not_try_again", customer: "declined" },
  stolen_card: { advice: "do_not_try_again", customer: "declined" },
  fraudulent: { advice: "do_not_try_again", customer: "declined" },
  merchant_blacklist: { advice: "do_not_try_again", customer: "declined" },
  pickup_card: { advice: "do_not_try_again", customer: "declined" },
  revocation_of_authorization: { advice: "do_not_try_again", customer: "declined" },
  revocation_of_all_authorizations: { advice: "do_not_try_again", customer: "declined" },
  stop_payment_order: { advice: "do_not_try_again", customer: "declined" },
  // Ours: the risk rules declined it before authorization.
  risk_rejected: { advice: "try_again_later", customer: "declined" },
  // Outcomes of 3-D Secure.
  authentication_failed: { advice: "confirm_card_data", customer: "authentication_failed" },
  authentication_rejected: { advice: "do_not_try_again", customer: "declined" },
  authentication_canceled: { advice: "try_again_later", customer: "authentication_canceled" },
  authentication_timed_out: { advice: "try_again_later", customer: "authentication_timed_out" },
  authentication_unavailable: { advice: "try_again_later", customer: "try_again" },
} as const satisfies Record<string, { advice: DeclineAdvice; customer: CustomerReason }>;

export type DeclineCode = keyof typeof declines;

export const declineCodes = Object.keys(declines) as DeclineCode[]; // the keys of the constant

/** Whether a value from the acquirer is a known decline code. */
export function isDeclineCode(value: unknown): value is DeclineCode {
  return typeof value === "string" && Object.hasOwn(declines, value);
}

/** Whether the merchant may retry. */
export function declineAdvice(code: DeclineCode): DeclineAdvice {
  return declines[code].advice;
}

/** The reason shown to the customer, which is coarser than the code. */
export function customerReason(code: DeclineCode): CustomerReason {
  return declines[code].customer;
}
