/**
 * Every way a call to the API fails: one class per type of the API's error envelope, so that a program can tell them
 * apart and the compiler knows which codes each can have, and one of our own, {@link OrielConnectionError}, for when no
 * answer of the API's came back.
 *
 * ```ts
 * try {
 *   await oriel.charges.create(params, { idempotencyKey: order.id });
 * } catch (error) {
 *   if (error instanceof OrielCardError && error.advice !== "do_not_try_again") return askForAnotherCard(error.declineCode);
 *   if (error instanceof OrielInvalidRequestError && error.code === "decision_expired") return openNewSession();
 *   throw error;
 * }
 * ```
 *
 * No field ever holds the secret key. What this version does not know, of a newer service, is an {@link OrielError}
 * itself.
 */
import type { DeclineAdvice, DeclineCode } from "@oriel/protocol/declines";
import type { ErrorCode, ErrorType, errorCodes } from "@oriel/protocol/errors";
import { adviceFor } from "./decline-advice.ts";

/**
 * `timeout`: no answer in time. `canceled`: your signal. `network`: no connection. `response_malformed`: not an answer
 * of the API's.
 */
export type ConnectionErrorCode = "timeout" | "canceled" | "network" | "response_malformed";

/** The codes that errors of one type have. */
export type ErrorCodeOf<T extends ErrorType> = {
  [C in ErrorCode]: (typeof errorCodes)[C] extends T ? C : never;
}[ErrorCode];

export interface OrielErrorDetails {
  type: ErrorType | "connection_error";
  /**
   * A code of the API's closed list, or a {@link ConnectionErrorCode}. A newer service may send one this version does
   * not know.
   */
  code: ErrorCode | ConnectionErrorCode;
  message: string;
  /** Path of the offending field or header. */
  param: string | null;
  /** HTTP status; null when no answer came. */
  status: number | null;
  /** The answer's `Request-Id`: what to quote when asking about it. */
  requestId: string | null;
  /**
   * The key this call was sent with, in its retries too; null for reads. Sending the same again under it does nothing
   * twice.
   */
  idempotencyKey: string | null;
  /** How often the call was sent again before this came of it: 0 when it was sent once. */
  retries: number;
  /** How long the service asked to wait, in seconds; null when it did not say. */
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
 * 400 or 404: what was sent is not right, or not right now; `code` says which. Sending it again changes nothing.
 * Nothing was done.
 */
export class OrielInvalidRequestError extends OrielError {
  override readonly name = "OrielInvalidRequestError";
  declare readonly type: "invalid_request_error";
  declare readonly code: ErrorCodeOf<"invalid_request_error">;
}

/** 401: the secret key is missing, wrong, revoked, or not allowed to do this. */
export class OrielAuthenticationError extends OrielError {
  override readonly name = "OrielAuthenticationError";
  declare readonly type: "authentication_error";
  declare readonly code: ErrorCodeOf<"authentication_error">;
}

/** 402: the bank, or the decision before it, said no. The answer is final for this idempotency key. */
export class OrielCardError extends OrielError {
  override readonly name = "OrielCardError";
  declare readonly type: "card_error";
  declare readonly code: ErrorCodeOf<"card_error">;
  /** Why. For you, not for the customer: tell him no more than that the card was declined. */
  readonly declineCode: DeclineCode;
  /** What to do about it. Networks fine merchants who try again where it says `do_not_try_again`. */
  readonly advice: DeclineAdvice;

  constructor(details: OrielErrorDetails & { declineCode: DeclineCode }) {
    super(details);
    this.declineCode = details.declineCode;
    this.advice = adviceFor(details.declineCode);
  }
}

/** 422: the idempotency key was used before, for another request. Nothing was done. */
export class OrielIdempotencyError extends OrielError {
  override readonly name = "OrielIdempotencyError";
  declare readonly type: "idempotency_error";
  declare readonly code: ErrorCodeOf<"idempotency_error">;
}

/** 429, still after all retries: too many requests. Nothing was done. */
export class OrielRateLimitError extends OrielError {
  override readonly name = "OrielRateLimitError";
  declare readonly type: "rate_limit_error";
  declare readonly code: ErrorCodeOf<"rate_limit_error">;
}

/**
 * 5xx, still after all retries. With `payment_outcome_unknown` do not charge anew: send the same again, under
 * `idempotencyKey`.
 */
export class OrielApiError extends OrielError {
  override readonly name = "OrielApiError";
  declare readonly type: "api_error";
  declare readonly code: ErrorCodeOf<"api_error">;
}

/**
 * No answer of the API's came back. It is unknown whether the call had an effect; sending it again under the same
 * `idempotencyKey` is safe.
 */
export class OrielConnectionError extends OrielError {
  override readonly name = "OrielConnectionError";
  declare readonly type: "connection_error";
  declare readonly code: ConnectionErrorCode;

  /** What came with an answer is null where none came. */
  constructor(details: ConnectionErrorDetails, options?: ErrorOptions) {
    const noAnswer = { status: null, requestId: null, retryAfterSeconds: null };
    super({ ...noAnswer, ...details, type: "connection_error", param: null }, options);
  }
}

interface ConnectionErrorDetails
  extends
    Pick<OrielErrorDetails, "message" | "idempotencyKey" | "retries">,
    Partial<Pick<OrielErrorDetails, "status" | "requestId" | "retryAfterSeconds">> {
  code: ConnectionErrorCode;
}
