/**
 * The errors of API calls. There's one class per type of API error, so the compiler knows the codes of each.
 * {@link OrielConnectionError} means that no valid response arrived.
 * ```ts
 * try {
 *   await oriel.charges.create(params, { idempotencyKey: order.id });
 * } catch (error) {
 *   if (error instanceof OrielCardError && error.advice !== "do_not_try_again") return askForCard(error.declineCode);
 *   if (error instanceof OrielInvalidRequestError && error.code === "decision_expired") return openNewSession();
 *   throw error;
 * }
 * ```
 *
 * No field ever contains the secret key. Error types that only a newer service knows are plain {@link OrielError}s.
 */
import type { DeclineAdvice, DeclineCode } from "@oriel/protocol/declines";
import type { ErrorCode, ErrorType, errorCodes } from "@oriel/protocol/errors";
import { adviceFor } from "./decline-advice.ts";

/**
 * `timeout`: no response in time. `canceled`: your signal aborted. `network`: no connection. `response_malformed`: the
 * response isn't from the API.
 */
export type ConnectionErrorCode = "timeout" | "canceled" | "network" | "response_malformed";

/** The codes of one type of error. */
export type ErrorCodeOf<T extends ErrorType> = {
  [C in ErrorCode]: (typeof errorCodes)[C] extends T ? C : never;
}[ErrorCode];

export interface OrielErrorDetails {
  type: ErrorType | "connection_error";
  /**
   * A code of the API or a {@link ConnectionErrorCode}. A newer service may send codes that this version doesn't know.
   */
  code: ErrorCode | ConnectionErrorCode;
  message: string;
  /** Path of the invalid field or header. */
  param: string | null;
  /** HTTP status. Null if no response arrived. */
  status: number | null;
  /** The response's `Request-Id`. Include it when you report a problem. */
  requestId: string | null;
  /**
   * The idempotency key of the call and its retries. Null for reads. Sending the same request with this key runs it
   * only once.
   */
  idempotencyKey: string | null;
  /** How many times the call was retried. 0 if it was sent once. */
  retries: number;
  /** How many seconds the service asked to wait. Null if it didn't say. */
  retryAfterSeconds: number | null;
}

export class OrielError extends Error implements OrielErrorDetails {
  override readonly name: string = "OrielError";
  readonly type: OrielErrorDetails["type"];
  readonly code: OrielErrorDetails["code"];
  readonly param: string | null;
  readonly status: number | null;
  readonly requestId: string | null;
  readonly idempotencyKey: string | null;
  readonly retries: number;
  readonly retryAfterSeconds: number | null;

  constructor(details: OrielErrorDetails, options?: ErrorOptions) {
    super(details.message, options);
    this.type = details.type;
    this.code = details.code;
    this.param = details.param;
    this.status = details.status;
    this.requestId = details.requestId;
    this.idempotencyKey = details.idempotencyKey;
    this.retries = details.retries;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

/**
 * 400 or 404: the request is invalid, or not possible in the current state. See `code`. Retrying can't help, and
 * nothing was changed.
 */
export class OrielInvalidRequestError extends OrielError {
  override readonly name = "OrielInvalidRequestError";
  declare readonly type: "invalid_request_error";
  declare readonly code: ErrorCodeOf<"invalid_request_error">;
}

/** 401: the secret key is missing, wrong or revoked, or lacks the required scope. */
export class OrielAuthenticationError extends OrielError {
  override readonly name = "OrielAuthenticationError";
  declare readonly type: "authentication_error";
  declare readonly code: ErrorCodeOf<"authentication_error">;
}

/** 402: the issuer or the preceding decision declined the charge. The result is final for this idempotency key. */
export class OrielCardError extends OrielError {
  override readonly name = "OrielCardError";
  declare readonly type: "card_error";
  declare readonly code: ErrorCodeOf<"card_error">;
  /** The reason. Don't show it to the customer. Only say that the card was declined. */
  readonly declineCode: DeclineCode;
  /** What to do next. Networks fine merchants who retry after `do_not_try_again`. */
  readonly advice: DeclineAdvice;

  constructor(details: OrielErrorDetails & { declineCode: DeclineCode }) {
    super(details);
    this.declineCode = details.declineCode;
    this.advice = adviceFor(details.declineCode);
  }
}

/** 422: the idempotency key was already used for a different request. Nothing was changed. */
export class OrielIdempotencyError extends OrielError {
  override readonly name = "OrielIdempotencyError";
  declare readonly type: "idempotency_error";
  declare readonly code: ErrorCodeOf<"idempotency_error">;
}

/** 429 after all retries: too many requests. Nothing was changed. */
export class OrielRateLimitError extends OrielError {
  override readonly name = "OrielRateLimitError";
  declare readonly type: "rate_limit_error";
  declare readonly code: ErrorCodeOf<"rate_limit_error">;
}

/**
 * 5xx after all retries. For `payment_outcome_unknown`, don't charge again. Send the same request with
 * `idempotencyKey`.
 */
export class OrielApiError extends OrielError {
  override readonly name = "OrielApiError";
  declare readonly type: "api_error";
  declare readonly code: ErrorCodeOf<"api_error">;
}

/**
 * No valid response arrived, so the outcome is unknown. You can safely send the request again with `idempotencyKey`.
 */
export class OrielConnectionError extends OrielError {
  override readonly name = "OrielConnectionError";
  declare readonly type: "connection_error";
  declare readonly code: ConnectionErrorCode;

  /** Response fields are null if no response arrived. */
  constructor(details: ConnectionErrorDetails, options?: ErrorOptions) {
    const noResponse = { status: null, requestId: null, retryAfterSeconds: null };
    super({ ...noResponse, ...details, type: "connection_error", param: null }, options);
  }
}

interface ConnectionErrorDetails
  extends
    Pick<OrielErrorDetails, "message" | "idempotencyKey" | "retries">,
    Partial<Pick<OrielErrorDetails, "status" | "requestId" | "retryAfterSeconds">> {
  code: ConnectionErrorCode;
}
