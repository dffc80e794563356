/**
 * The API's error types and codes.
 *
 * Every error response is `{ "error": { "type", "code", "message", "param"?, "decline_code"? } }`, with no other
 * members. The type determines the HTTP status, the code is for programs, and the message tells developers what to do
 * next.
 */
import type { DeclineCode } from "./declines.ts";

/** The HTTP status of each error type, unless {@link statusOfCode} overrides it. */
export const statusOfType = {
  invalid_request_error: 400,
  authentication_error: 401,
  card_error: 402,
  idempotency_error: 422,
  rate_limit_error: 429,
  api_error: 500,
} as const;

export type ErrorType = keyof typeof statusOfType;

/** Every code with its type. `docs/api/errors.md` explains them. */
export const errorCodes = {
  // The request is wrong. Retrying it unchanged doesn't help.
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
  // The charge doesn't match its decision.
  decision_mismatch: "invalid_request_error",
  decision_already_consumed: "invalid_request_error",
  decision_expired: "invalid_request_error",
  decision_not_approved: "invalid_request_error",
  payment_method_not_reusable: "invalid_request_error",
  // The charge's state doesn't allow the request.
  charge_not_capturable: "invalid_request_error",
  charge_not_cancelable: "invalid_request_error",
  charge_not_refundable: "invalid_request_error",
  charge_operation_in_progress: "invalid_request_error",
  amount_too_large: "invalid_request_error",
  // The session's state doesn't allow the request.
  session_closed: "invalid_request_error",
  session_payment_in_progress: "invalid_request_error",
  session_version_mismatch: "invalid_request_error",
  session_changed_too_often: "invalid_request_error",
  promotion_code_mismatch: "invalid_request_error",
  // The customer saw an earlier total. The iframe shows the new one and waits for another press.
  session_changed: "invalid_request_error",
  shipping_choices_used_up: "invalid_request_error",
  promotion_codes_used_up: "invalid_request_error",
  // Disabled endpoints receive no events.
  webhook_endpoint_disabled: "invalid_request_error",
  // The encrypted card can't be used. After `card_message_stale`, the iframe encrypts it again and retries once.
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

/** HTTP statuses of codes that don't use their type's status. */
export const statusOfCode: Partial<Record<ErrorCode, number>> = {
  idempotent_request_in_progress: 503,
  payment_outcome_unknown: 503,
  service_unavailable: 503,
  live_mode_unavailable: 503,
  acquirer_not_configured: 503,
};

/** The body of every error response. */
export interface ErrorBody {
  error: {
    type: ErrorType;
    code: ErrorCode;
    /** Tells developers what went wrong and what to do. Never contains card data or internal details. */
    message: string;
    /** The path of the invalid field or header, such as `line_items[0].amount`. */
    param?: string;
    /** Why the card was declined. Set for every error of type `card_error`. */
    decline_code?: DeclineCode;
  };
}
