/**
 * Why a charge failed, and what follows for the two who hear of it: the bank's answers, then our own and what 3-D
 * Secure ended in.
 *
 * The merchant sees the code and its advice; the customer sees {@link customerReason} only, which is coarser, so that
 * the form is no oracle about a stolen card: stolen, lost, fraudulent and generic look alike. `docs/api/errors.md` has
 * a sentence for each.
 */

/** What a merchant's program may do with a decline: nothing ever again, ask for other data, or try again later. */
export type DeclineAdvice = "do_not_try_again" | "confirm_card_data" | "try_again_later";

/** What the customer is told. */
export const customerReasons = [
  "declined",
  "insufficient_funds",
  "expired_card",
  "check_card",
  "authentication_failed",
  "authentication_canceled",
  "authentication_timed_out",
  "try_again",
] as const;

export type CustomerReason = (typeof customerReasons)[number];

/**
 * The networks fine merchants who try again where they may not. Source of the advice: Visa's response-code categories;
 * its words are the field's own.
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
  duplicate_transaction: { advice: "do_not_try_again", customer: "declined" },
  lost_card: { advice: "do_not_try_again", customer: "declined" },
  stolen_card: { advice: "do_not_try_again", customer: "declined" },
  fraudulent: { advice: "do_not_try_again", customer: "declined" },
  merchant_blacklist: { advice: "do_not_try_again", customer: "declined" },
  pickup_card: { advice: "do_not_try_again", customer: "declined" },
  revocation_of_authorization: { advice: "do_not_try_again", customer: "declined" },
  revocation_of_all_authorizations: { advice: "do_not_try_again", customer: "declined" },
  stop_payment_order: { advice: "do_not_try_again", customer: "declined" },
  // Ours: the risk rules said no, and the bank was not asked.
  risk_rejected: { advice: "try_again_later", customer: "declined" },
  // What 3-D Secure ended in.
  authentication_failed: { advice: "confirm_card_data", customer: "authentication_failed" },
  authentication_rejected: { advice: "do_not_try_again", customer: "declined" },
  authentication_canceled: { advice: "try_again_later", customer: "authentication_canceled" },
  authentication_timed_out: { advice: "try_again_later", customer: "authentication_timed_out" },
  authentication_unavailable: { advice: "try_again_later", customer: "try_again" },
} as const satisfies Record<string, { advice: DeclineAdvice; customer: CustomerReason }>;

export type DeclineCode = keyof typeof declines;

/** Every code. */
export const declineCodes = Object.keys(declines) as DeclineCode[]; // the keys of a constant

/** Says whether a word from the bank is a decline code we know. */
export function isDeclineCode(value: unknown): value is DeclineCode {
  return typeof value === "string" && Object.hasOwn(declines, value);
}

/** What the merchant's program may do about it. */
export function declineAdvice(code: DeclineCode): DeclineAdvice {
  return declines[code].advice;
}

/** What the customer may know of it. */
export function customerReason(code: DeclineCode): CustomerReason {
  return declines[code].customer;
}
