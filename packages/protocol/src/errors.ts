/**
 * Every way the API says no, as closed lists.
 *
 * The envelope is `{ "error": { "type", "code", "message", "param"?, "decline_code"? } }` and nothing else stands inside `error`.
 * The type gives the HTTP status; the code is for programs; the message is for the developer who reads the log and says what to do next.
 */

/** HTTP status of each error type, unless the code has one of its own in {@link statusOfCode}. */
export const statusOfType = {
  invalid_request_error: 400,
  authentication_error: 401,
  card_error: 402,
  idempotency_error: 422,
  rate_limit_error: 429,
  api_error: 500,
} as const;

export type ErrorType = keyof typeof statusOfType;

/** Every code, with the type it belongs to. `docs/api/errors.md` has a sentence for each. */
export const errorCodes = {
  // What was sent is not right; sending it again changes nothing.
  parameter_missing: "invalid_request_error",
  parameter_unknown: "invalid_request_error",
  parameter_invalid: "invalid_request_error",
  amount_invalid: "invalid_request_error",
  currency_unknown: "invalid_request_error",
  body_malformed: "invalid_request_error",
  body_too_large: "invalid_request_error",
  content_type_unsupported: "invalid_request_error",
  method_not_allowed: "invalid_request_error",
  route_unknown: "invalid_request_error",
  resource_missing: "invalid_request_error",
  origin_not_allowed: "invalid_request_error",
  url_not_allowed: "invalid_request_error",
  idempotency_key_invalid: "invalid_request_error",
  // A charge and its decision do not fit.
  decision_mismatch: "invalid_request_error",
  decision_already_consumed: "invalid_request_error",
  decision_expired: "invalid_request_error",
  decision_not_approved: "invalid_request_error",
  payment_method_not_reusable: "invalid_request_error",
  // The charge is not in the state that the request needs.
  charge_not_capturable: "invalid_request_error",
  charge_not_cancelable: "invalid_request_error",
  charge_not_refundable: "invalid_request_error",
  charge_operation_in_progress: "invalid_request_error",
  amount_too_large: "invalid_request_error",
  // A checkout session is not in the state that the request needs.
  session_closed: "invalid_request_error",
  session_payment_in_progress: "invalid_request_error",
  // The frame's card message could not be used; the frame renews and tries once more.
  card_message_stale: "invalid_request_error",
  card_message_invalid: "invalid_request_error",
  not_a_test_card: "invalid_request_error",

  api_key_missing: "authentication_error",
  api_key_invalid: "authentication_error",
  account_suspended: "authentication_error",
  insufficient_scope: "authentication_error",
  frame_token_invalid: "authentication_error",
  client_secret_invalid: "authentication_error",

  card_declined: "card_error",

  idempotency_key_in_use: "idempotency_error",

  rate_limited: "rate_limit_error",

  internal_error: "api_error",
  idempotent_request_in_progress: "api_error",
  payment_outcome_unknown: "api_error",
  service_unavailable: "api_error",
  live_mode_unavailable: "api_error",
  acquirer_not_configured: "api_error",
} as const satisfies Record<string, ErrorType>;

export type ErrorCode = keyof typeof errorCodes;

/** The codes whose HTTP status is not their type's. */
export const statusOfCode: Partial<Record<ErrorCode, number>> = {
  idempotent_request_in_progress: 503,
  payment_outcome_unknown: 503,
  service_unavailable: 503,
  live_mode_unavailable: 503,
  acquirer_not_configured: 503,
};

/** The body of every answer that is not a success. */
export interface ErrorBody {
  error: {
    type: ErrorType;
    code: ErrorCode;
    /** A sentence for a developer: what was wrong and what to do. Never card data, never an internal. */
    message: string;
    /** Path of the offending field or header, as in `line_items[0].amount`. */
    param?: string;
    /** Why the card was declined; on every `card_error`. */
    decline_code?: DeclineCode;
  };
}

/**
 * Why a charge failed: the bank's answers, then what 3-D Secure ended in.
 * The merchant sees these; the customer sees {@link customerReason} only.
 */
export const declineCodes = [
  "generic_decline",
  "do_not_honor",
  "insufficient_funds",
  "card_velocity_exceeded",
  "withdrawal_count_limit_exceeded",
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
  "approve_with_id",
  "issuer_not_available",
  "processing_error",
  "reenter_transaction",
  "call_issuer",
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
  // Ours: the risk rules said no, and the bank was not asked.
  "risk_rejected",
  // What 3-D Secure ended in.
  "authentication_failed",
  "authentication_rejected",
  "authentication_canceled",
  "authentication_timed_out",
  "authentication_unavailable",
] as const;

export type DeclineCode = (typeof declineCodes)[number];

/** Says whether a word from the bank is a decline code we know. */
export function isDeclineCode(value: unknown): value is DeclineCode {
  return (declineCodes as readonly unknown[]).includes(value); // wider, so that it may be asked about anything
}

/** What a merchant's program may do with a decline: nothing ever again, ask for other data, or try again later. */
export type DeclineAdvice = "do_not_try_again" | "confirm_card_data" | "try_again_later";

/**
 * The advice that belongs to a decline code. The networks fine merchants who try again where they may not.
 * Source: Visa's response-code categories; the vocabulary is the field's own (`do_not_try_again`, `confirm_card_data`, `try_again_later`).
 */
export function declineAdvice(code: DeclineCode): DeclineAdvice {
  switch (code) {
    case "generic_decline":
    case "do_not_honor":
    case "insufficient_funds":
    case "card_velocity_exceeded":
    case "withdrawal_count_limit_exceeded":
    case "approve_with_id":
    case "issuer_not_available":
    case "processing_error":
    case "reenter_transaction":
    case "call_issuer":
    case "risk_rejected":
    case "authentication_canceled":
    case "authentication_timed_out":
    case "authentication_unavailable":
      return "try_again_later";
    case "expired_card":
    case "incorrect_number":
    case "invalid_number":
    case "incorrect_cvc":
    case "invalid_cvc":
    case "invalid_expiry_month":
    case "invalid_expiry_year":
    case "incorrect_zip":
    case "incorrect_address":
    case "authentication_required":
    case "authentication_not_handled":
    case "authentication_failed":
      return "confirm_card_data";
    case "card_not_supported":
    case "currency_not_supported":
    case "transaction_not_allowed":
    case "duplicate_transaction":
    case "lost_card":
    case "stolen_card":
    case "fraudulent":
    case "merchant_blacklist":
    case "pickup_card":
    case "revocation_of_authorization":
    case "revocation_of_all_authorizations":
    case "stop_payment_order":
    case "authentication_rejected":
      return "do_not_try_again";
  }
}

/** What the customer is told: coarser than what the merchant sees, so that the form is no oracle about a stolen card. */
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

/** Maps a decline code to what the customer may know of it. Stolen, lost, fraudulent and generic look alike. */
export function customerReason(code: DeclineCode): CustomerReason {
  switch (code) {
    case "insufficient_funds":
    case "expired_card":
    case "authentication_failed":
    case "authentication_canceled":
    case "authentication_timed_out":
      return code;
    case "incorrect_number":
    case "invalid_number":
    case "incorrect_cvc":
    case "invalid_cvc":
    case "invalid_expiry_month":
    case "invalid_expiry_year":
    case "incorrect_zip":
    case "incorrect_address":
      return "check_card";
    case "authentication_required":
    case "authentication_not_handled":
      return "authentication_failed";
    case "approve_with_id":
    case "issuer_not_available":
    case "processing_error":
    case "reenter_transaction":
    case "authentication_unavailable":
      return "try_again";
    case "authentication_rejected":
    case "generic_decline":
    case "do_not_honor":
    case "card_velocity_exceeded":
    case "withdrawal_count_limit_exceeded":
    case "call_issuer":
    case "card_not_supported":
    case "currency_not_supported":
    case "transaction_not_allowed":
    case "duplicate_transaction":
    case "lost_card":
    case "stolen_card":
    case "fraudulent":
    case "merchant_blacklist":
    case "pickup_card":
    case "revocation_of_authorization":
    case "revocation_of_all_authorizations":
    case "stop_payment_order":
    case "risk_rejected":
      return "declined";
  }
}
