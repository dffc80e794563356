/** What each kind of item means, and what to do about it. */
import type { AttentionKind } from "@oriel/protocol/api";
import type { AttentionItem } from "@oriel/protocol/dashboard/acquirers";

export interface AttentionWords {
  title: string;
  /** What happened. */
  meaning: string;
  /** What to do. */
  todo: string;
}

export const attentionWords: Readonly<Record<AttentionKind, AttentionWords>> = {
  outcome_unknown: {
    title: "Outcome unknown",
    meaning:
      "We sent a request to the acquirer a day ago and haven't learned its outcome, although we've retried it many times.",
    todo: "Search for it in your acquirer's records. If it's there, let the acquirer send its notification again, and we update the payment automatically. If it isn't there, mark it as failed.",
  },
  operation_overdue: {
    title: "Outcome overdue",
    meaning: "The acquirer accepted a capture, cancellation or refund a week ago, and hasn't reported its outcome.",
    todo: "Check the payment in your acquirer's records. If the operation is complete there, let the acquirer send its notification again. If it failed there, or isn't there, mark it as failed. Don't repeat the operation before that.",
  },
  reversal_failed: {
    title: "Late approval not reversed",
    meaning:
      "The acquirer approved this payment after it had failed here. It refused our request to cancel or refund it, so the customer may have paid for nothing.",
    todo: "Cancel or refund the payment at your acquirer.",
  },
  capture_failed_late: {
    title: "Capture failed after it had succeeded",
    meaning:
      "The acquirer reported the capture as successful, and later as failed. You won't receive the money unless the acquirer captures the payment again.",
    todo: "Look for a second capture in your acquirer's records. If there's none, don't ship the order, or ask the customer to pay again. If the acquirer reports another capture, we update the payment automatically.",
  },
  refund_failed_late: {
    title: "Refund failed after it had succeeded",
    meaning:
      "The acquirer reported the refund as successful, and later as failed. You have the money again unless the acquirer made the refund again.",
    todo: "If the refund has succeeded here, go by your acquirer's records. If not, refund the customer in another way, such as a bank transfer, or create a new refund.",
  },
  rest_not_released: {
    title: "Rest not released",
    meaning:
      "A part of this payment was captured. The acquirer refused to cancel the rest, so it may still be reserved on the customer's card.",
    todo: "Check the payment at your acquirer. If the rest is still reserved, cancel it there.",
  },
  captured_again: {
    title: "Captured again after it had failed",
    meaning: "The acquirer reported the capture as failed, and then captured the payment after all.",
    todo: "If the payment has succeeded here, you can ship the order. If not, or if the customer has paid in another way, refund it. If you captured it again meanwhile, check whether your acquirer made both captures. If so, refund one of them there.",
  },
  refunded_again: {
    title: "Refunded again after it had failed",
    meaning: "The acquirer reported the refund as failed, and then refunded the customer after all.",
    todo: "Check whether you have refunded the customer in another way meanwhile. If so, the customer has the money twice.",
  },
  fraud_reported: {
    title: "Fraud reported",
    meaning: "The card's issuer reported this payment as fraud. No money has moved, but a chargeback may follow.",
    todo: "If you haven't shipped the order, don't. A refund now often prevents the chargeback.",
  },
  unexpected_notification: {
    title: "Unexpected notification",
    meaning: "The acquirer reported something that doesn't fit what we know. Usually, the payment here is unchanged.",
    todo: "Search for it in your acquirer's records. Someone may have captured or refunded a payment there, or another system may use the same merchant account.",
  },
  acquirer_unusable: {
    title: "Acquirer can't be used",
    meaning:
      "We can't open the connection to your acquirer, for example because its keys can't be decrypted. Payments, captures, refunds and notifications are waiting for it.",
    todo: "Ask the operator of this service to check the log and the acquirer's settings. Everything continues by itself afterwards.",
  },
};

/** What a person ends by marking an item as failed. */
export interface FailureWords {
  what: string;
  /** The event that the merchant's server receives. */
  event: string | null;
  /** What can happen after that. */
  after: string;
}

const freed = "The payment stays authorized, so it can be captured or canceled again.";

/** By the operation at the acquirer. */
const failures: Readonly<Record<string, FailureWords>> = {
  authorize: {
    what: "payment",
    event: "payment_failed",
    after:
      "If the acquirer reports an approval later, we cancel or refund it automatically, so the customer isn't charged.",
  },
  capture: { what: "capture", event: "charge.capture_failed", after: freed },
  cancel: { what: "cancellation", event: "charge.cancel_failed", after: freed },
  release: {
    what: "cancellation of the rest",
    event: null,
    after: "The payment stays as it is, and the rest is listed as not released.",
  },
  refund: {
    what: "refund",
    event: "refund.failed",
    after:
      "Its amount can be refunded again. If the acquirer has made this refund after all, the customer then gets the money twice.",
  },
  reverse: {
    what: "reversal",
    event: null,
    after: "The payment is then listed as a late approval that wasn't reversed.",
  },
};

/** @returns null if the item can't be marked as failed */
export function failureOf({ kind, details, resolved }: AttentionItem): FailureWords | null {
  const isMissing = kind === "outcome_unknown" || kind === "operation_overdue";
  return resolved === null && isMissing ? (failures[String(details["operation"])] ?? null) : null;
}
