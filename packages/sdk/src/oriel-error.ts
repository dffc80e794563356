/**
 * Every way a call to the API fails, as one class with the fields of the API's error envelope.
 *
 * `type: "connection_error"` is ours: no answer of the API's came back. Then it is unknown whether the call had an effect, and sending
 * it again with the same `idempotencyKey` is safe. No field ever holds the secret key.
 */
import type { DeclineCode, ErrorCode, ErrorType } from "@oriel/protocol/errors";

/** `timeout`: no answer in time. `canceled`: your signal. `network`: no connection. `response_malformed`: not an answer of the API's. */
export type ConnectionErrorCode = "timeout" | "canceled" | "network" | "response_malformed";

export interface OrielErrorDetails {
  type: ErrorType | "connection_error";
  /** A code of the API's closed list, or a {@link ConnectionErrorCode}. A newer service may send one this version does not know. */
  code: ErrorCode | ConnectionErrorCode;
  message: string;
  /** Path of the offending field or header. */
  param: string | null;
  /** Why a card was declined; with `type: "card_error"`. */
  declineCode: DeclineCode | null;
  /** HTTP status; null when no answer came. */
  status: number | null;
  /** The answer's `Request-Id`: what to quote when asking about it. */
  requestId: string | null;
  /** The key this call was sent with; null for reads. */
  idempotencyKey: string | null;
}

export class OrielError extends Error implements OrielErrorDetails {
  override readonly name = "OrielError";
  readonly type: OrielErrorDetails["type"];
  readonly code: OrielErrorDetails["code"];
  readonly param: string | null;
  readonly declineCode: DeclineCode | null;
  readonly status: number | null;
  readonly requestId: string | null;
  readonly idempotencyKey: string | null;

  constructor(details: OrielErrorDetails, options?: ErrorOptions) {
    super(details.message, options);
    this.type = details.type;
    this.code = details.code;
    this.param = details.param;
    this.declineCode = details.declineCode;
    this.status = details.status;
    this.requestId = details.requestId;
    this.idempotencyKey = details.idempotencyKey;
  }
}
