/**
 * What a notification's `eventCode` and `success` mean for us. Source: Adyen Webhooks v1, and for what its OpenAPI document
 * lacks, https://docs.adyen.com/api-explorer/Webhooks/1/post/DISPUTE_OPENED_WITH_CHARGEBACK
 *
 * `success` says whether a request succeeded. An event without a request reports something that happened, and means
 * nothing without `success`: `CAPTURE_FAILED` with `success` is a failed capture.
 */
import type {
  DisputeStep,
  NotificationEvent,
  NotificationSubject,
  NotifiedOccurrence,
  NotifiedOutcome,
} from "../notification.ts";
import { fromAdyenAmount } from "./amounts.ts";

/** The fields that the signature covers. */
export type SignedFields = {
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
};

const outcomes: ReadonlyMap<string, { done: NotifiedOutcome; failed: NotifiedOutcome }> = new Map([
  ["AUTHORISATION", { done: "authorized", failed: "authorization_failed" }],
  ["CAPTURE", { done: "captured", failed: "capture_declined" }],
  ["CANCELLATION", { done: "canceled", failed: "cancel_declined" }],
  ["REFUND", { done: "refunded", failed: "refund_declined" }],
  // Of a reversal. Whether it was a cancellation or a refund isn't signed, and makes no difference.
  ["CANCEL_OR_REFUND", { done: "refunded", failed: "refund_declined" }],
  ["TECHNICAL_CANCEL", { done: "reversed", failed: "reversal_declined" }],
]);

const occurrences: ReadonlyMap<string, NotifiedOccurrence | DisputeStep> = new Map([
  ["EXPIRE", "authorization_expired"],
  ["CAPTURE_FAILED", "capture_failed"],
  ["REFUND_FAILED", "refund_failed"],
  ["REFUNDED_REVERSED", "refund_reversed"],
  ["NOTIFICATION_OF_FRAUD", "fraud_reported"],
  ["REQUEST_FOR_INFORMATION", "dispute_opened"],
  ["NOTIFICATION_OF_CHARGEBACK", "dispute_opened"],
  ["CHARGEBACK", "chargeback"],
  // Instead of NOTIFICATION_OF_CHARGEBACK, if Adyen learns of both at once. If CHARGEBACK follows, it's the same movement.
  ["DISPUTE_OPENED_WITH_CHARGEBACK", "chargeback"],
  ["SECOND_CHARGEBACK", "second_chargeback"],
  ["CHARGEBACK_REVERSED", "chargeback_reversed"],
  ["INFORMATION_SUPPLIED", "response_sent"],
  ["DISPUTE_DEFENSE_PERIOD_ENDED", "response_missed"],
  ["ISSUER_COMMENTS", "dispute_updated"],
  ["ISSUER_RESPONSE_TIMEFRAME_EXPIRED", "response_accepted"],
  ["PREARBITRATION_OPEN", "prearbitration_opened"],
  ["PREARBITRATION_ACCEPTED", "prearbitration_lost"],
  ["PREARBITRATION_DECLINED", "prearbitration_declined"],
  ["PREARBITRATION_ISSUER_WITHDRAWN", "prearbitration_won"],
  ["PREARBITRATION_LOST", "prearbitration_lost"],
  ["PREARBITRATION_WON", "prearbitration_won"],
  ["SCHEME_ARBITRATION", "arbitration_opened"],
  ["SCHEME_ARBITRATION_LOST", "arbitration_lost"],
  ["SCHEME_ARBITRATION_WON", "arbitration_won"],
]);

export function eventOf(signed: SignedFields): NotificationEvent {
  const { eventCode, success } = signed;
  const subject = subjectOf(signed);
  const outcome = outcomes.get(eventCode);
  if (outcome !== undefined) return { type: success ? outcome.done : outcome.failed, ...subject };
  const occurrence = occurrences.get(eventCode);
  return { type: occurrence !== undefined && success ? occurrence : "unknown", ...subject };
}

function subjectOf({
  pspReference,
  originalReference,
  merchantReference,
  value,
  currency,
  eventCode,
}: SignedFields): NotificationSubject {
  return {
    acquirerId: pspReference,
    authorizationId: eventCode === "AUTHORISATION" ? pspReference : originalReference,
    reference: merchantReference,
    money: fromAdyenAmount(value, currency),
  };
}
