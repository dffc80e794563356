/**
 * Every way the API says no, as closed lists.
 *
 * The envelope is `{ "error": { "type", "code", "message", "param"?, "decline_code"? } }` and nothing else stands
 * inside `error`. The type gives the HTTP status; the code is for programs; the message is for the developer who reads
 * the log and says what to do next.
 */
import type { DeclineCode } from "./declines.ts";

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
  // Nothing is sent to an endpoint that is switched off.
  webhook_endpoint_disabled: "invalid_request_error",
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
