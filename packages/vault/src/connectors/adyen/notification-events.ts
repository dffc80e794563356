/**
 * What a notification's `eventCode` and `success` mean for us. Source: Adyen Webhooks v1.
 *
 * `success` says whether a request succeeded. An event without a request reports something that happened, and means
 * nothing without `success`: `CAPTURE_FAILED` with `success` is a failed capture.
 */
import type { Money } from "../acquirer.ts";
import { fromAdyenAmount } from "./amounts.ts";

/** The fields that the signature covers. */
export interface SignedFields {
  pspReference: string;
  /** The payment's `pspReference`. Null for a payment itself and for some disputes. */
  originalReference: string | null;
  merchantAccountCode: string;
  merchantReference: string;
  /** In Adyen's smallest unit. */
  value: number;
  currency: string;
  eventCode: string;
  success: boolean;
}

/**
 * - `authorization_expired`: what wasn't captured is released.
 * - `capture_declined`, `cancel_declined` and `refund_declined`: no money has moved.
 * - `capture_failed` and `refund_failed`: it had moved, and came back. They end what `captured` and `refunded` report, and
 *   can arrive before those.
 * - `refund_reversed`: the refunded money came back to the merchant.
 * - `technical_cancel`: the outcome of a cancellation by the authorization's reference.
 * - `dispute_opened`: the merchant can respond. No money has moved.
 * - `chargeback`, `second_chargeback`: the money was deducted.
 * - `chargeback_reversed`: the money was returned, for now.
 * - `dispute_updated`: anything else in a dispute. `eventCode` says what.
 * - `fraud_reported`: the issuer reported fraud. A chargeback may follow.
 */
export type NotificationEvent =
  | ({ type: Outcome | Occurrence } & Subject)
  | ({ type: "technical_cancel"; done: boolean } & Subject)
  | { type: "unknown" };

export interface Subject {
  /** Adyen's ID of the operation or dispute: `acquirerId` in the reply to the operation. */
  acquirerId: string;
  /** Adyen's ID of the authorization, if the notification says it. */
  authorizationId: string | null;
  /**
   * Our reference. For the outcome of a capture, cancellation or refund, it's the operation's own. For everything else,
   * including a failure after the outcome, it's the authorization's. To find an operation, use `acquirerId`.
   */
  reference: string;
  /** Null if the amount can't be expressed in ISO 4217's unit. Disputes can have another amount and currency. */
  money: Money | null;
}

/** Whether a request succeeded. */
type Outcome =
  | "authorized"
  | "authorization_failed"
  | "captured"
  | "capture_declined"
  | "canceled"
  | "cancel_declined"
  | "refunded"
  | "refund_declined";

/** Something that happened without a request, or long after it. */
type Occurrence =
  | "authorization_expired"
  | "capture_failed"
  | "refund_failed"
  | "refund_reversed"
  | "dispute_opened"
  | "dispute_updated"
  | "chargeback"
  | "second_chargeback"
  | "chargeback_reversed"
  | "fraud_reported";

const outcomes: ReadonlyMap<string, { done: Outcome; failed: Outcome }> = new Map([
  ["AUTHORISATION", { done: "authorized", failed: "authorization_failed" }],
  ["CAPTURE", { done: "captured", failed: "capture_declined" }],
  ["CANCELLATION", { done: "canceled", failed: "cancel_declined" }],
  ["REFUND", { done: "refunded", failed: "refund_declined" }],
]);

const occurrences: ReadonlyMap<string, Occurrence> = new Map([
  ["EXPIRE", "authorization_expired"],
  ["CAPTURE_FAILED", "capture_failed"],
  ["REFUND_FAILED", "refund_failed"],
  ["REFUNDED_REVERSED", "refund_reversed"],
  ["NOTIFICATION_OF_FRAUD", "fraud_reported"],
  ["REQUEST_FOR_INFORMATION", "dispute_opened"],
  ["NOTIFICATION_OF_CHARGEBACK", "dispute_opened"],
  ["CHARGEBACK", "chargeback"],
  ["SECOND_CHARGEBACK", "second_chargeback"],
  ["CHARGEBACK_REVERSED", "chargeback_reversed"],
  ["INFORMATION_SUPPLIED", "dispute_updated"],
  ["DISPUTE_DEFENSE_PERIOD_ENDED", "dispute_updated"],
  ["ISSUER_COMMENTS", "dispute_updated"],
  ["ISSUER_RESPONSE_TIMEFRAME_EXPIRED", "dispute_updated"],
  ["PREARBITRATION_OPEN", "dispute_updated"],
  ["PREARBITRATION_ACCEPTED", "dispute_updated"],
  ["PREARBITRATION_DECLINED", "dispute_updated"],
  ["PREARBITRATION_ISSUER_WITHDRAWN", "dispute_updated"],
  ["PREARBITRATION_LOST", "dispute_updated"],
  ["PREARBITRATION_WON", "dispute_updated"],
  ["SCHEME_ARBITRATION", "dispute_updated"],
  ["SCHEME_ARBITRATION_LOST", "dispute_updated"],
  ["SCHEME_ARBITRATION_WON", "dispute_updated"],
]);

export function eventOf(signed: SignedFields): NotificationEvent {
  const { eventCode, success } = signed;
  const subject = subjectOf(signed);
  if (eventCode === "TECHNICAL_CANCEL") return { type: "technical_cancel", done: success, ...subject };
  const outcome = outcomes.get(eventCode);
  if (outcome !== undefined) return { type: success ? outcome.done : outcome.failed, ...subject };
  const occurrence = occurrences.get(eventCode);
  return occurrence !== undefined && success ? { type: occurrence, ...subject } : { type: "unknown" };
}

function subjectOf({
  pspReference,
  originalReference,
  merchantReference,
  value,
  currency,
  eventCode,
}: SignedFields): Subject {
  return {
    acquirerId: pspReference,
    authorizationId: eventCode === "AUTHORISATION" ? pspReference : originalReference,
    reference: merchantReference,
    money: fromAdyenAmount(value, currency),
  };
}
