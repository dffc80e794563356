/**
 * The port of an acquirer's notifications. A connector reads a request that claims to come from the vendor, checks each
 * item's signature, and says what the item means.
 *
 * An item can arrive any number of times, in any order, and before the reply to the request that it's about. Only
 * `event` is signed, so nothing else may move money.
 */
import type { Money } from "./acquirer.ts";

/** An item, or why it was refused. Refused items must not be processed. */
export type ReadNotification = Notification | { refused: RefusedBecause };

export type RefusedBecause = "invalid" | "wrong_signature" | "other_merchant_account" | "other_mode";

export interface Notification {
  /**
   * The same for each copy of an item. If a capture or refund fails or succeeds again, that may have the same ID and another
   * `eventDate`.
   */
  id: string;
  /** What the item means. */
  event: NotificationEvent;
  /** The vendor's own name of the event, to show to people. It's short, and signed. */
  name: string;
  /** The fields that the signature covers, as the vendor sent them. They're kept as evidence. */
  signed: SignedFields;
  /** What isn't signed. It can be shown, but decides nothing. */
  unsigned: UnsignedFields;
}

export type SignedFields = Readonly<Record<string, string | number | boolean | null>>;

export type NotificationEvent =
  | ({ type: NotifiedOutcome | NotifiedOccurrence | DisputeStep } & NotificationSubject)
  /** Shown to people, with what can be read of its subject. */
  | ({ type: "unknown" } & Partial<NotificationSubject>);

export interface NotificationSubject {
  /** The acquirer's ID of the operation or dispute: `acquirerId` in the reply to the operation. */
  acquirerId: string;
  /** The acquirer's ID of the authorization, if the notification says it. */
  authorizationId: string | null;
  /**
   * Our reference. For the outcome of a capture, cancellation or refund, it's the operation's own. For everything else,
   * it's the authorization's, but for a failure after the outcome, it may be either. To find an operation, use `acquirerId`.
   */
  reference: string;
  /** Null if the amount can't be expressed in ISO 4217's unit. Disputes can have another amount and currency. */
  money: Money | null;
}

/**
 * Whether a request succeeded. A capture that wasn't requested has the authorization's reference. `reversed` and
 * `reversal_declined` are the outcomes of a reversal by the authorization's reference.
 */
export type NotifiedOutcome =
  | "authorized"
  | "authorization_failed"
  | "captured"
  | "capture_declined"
  | "canceled"
  | "cancel_declined"
  | "refunded"
  | "refund_declined"
  | "reversed"
  | "reversal_declined";

/**
 * Something that happened without a request, or long after it.
 *
 * - `authorization_expired`: what wasn't captured is released.
 * - `capture_failed` and `refund_failed`: the money had moved, and came back. They end what `captured` and `refunded`
 *   report, and can arrive before those. `capture_declined` and `refund_declined` mean that no money has moved.
 * - `refund_reversed`: the refunded money came back to the merchant.
 * - `fraud_reported`: the issuer reported fraud. A chargeback may follow.
 */
export type NotifiedOccurrence =
  | "authorization_expired"
  | "capture_failed"
  | "refund_failed"
  | "refund_reversed"
  | "fraud_reported";

/**
 * The steps of a dispute, as the card networks define them, in this order. A dispute has only some of them.
 *
 * - `dispute_opened`: the merchant can respond. No money has moved.
 * - `chargeback`, `second_chargeback`: the money was deducted.
 * - `response_missed`: the merchant didn't respond in time, or accepted the dispute.
 * - `chargeback_reversed`: the money was returned, for now.
 * - `response_accepted`: the issuer accepted the response, or didn't reply to it in time.
 * - `prearbitration_declined`: the merchant or the issuer declined it, so the card network may have to decide.
 * - `dispute_updated`: anything that doesn't change the state of a dispute, such as a comment.
 */
export const disputeSteps = [
  "dispute_updated",
  "dispute_opened",
  "chargeback",
  "response_missed",
  "response_sent",
  "chargeback_reversed",
  "response_accepted",
  "second_chargeback",
  "prearbitration_opened",
  "prearbitration_declined",
  "prearbitration_lost",
  "prearbitration_won",
  "arbitration_opened",
  "arbitration_lost",
  "arbitration_won",
] as const;
export type DisputeStep = (typeof disputeSteps)[number];

export function isDisputeStep(type: string): type is DisputeStep {
  return (disputeSteps as readonly string[]).includes(type);
}

export interface UnsignedFields {
  /** When the event occurred, in ISO 8601. */
  eventDate: string | null;
  /** Why a capture, cancellation or refund failed. */
  reason: string | null;
  /**
   * The acquirer says that a capture or refund has succeeded again, after it had failed. Without it, this couldn't be told
   * apart from the first success if it has the same ID. It has no effect unless a failure or a decline is known.
   */
  isRepetition?: true;
  authorization: UnsignedAuthorization | null;
  dispute: UnsignedDispute | null;
}

/** As in the response to a payment. */
export interface UnsignedAuthorization {
  authorizationCode: string | null;
  avsResult: string | null;
  cvcResult: string | null;
  networkTransactionId: string | null;
  refusalReason: string | null;
}

export interface UnsignedDispute {
  /** In ISO 8601. */
  respondBy: string | null;
  /** The card network's. */
  reasonCode: string | null;
  /** The acquirer's own word. */
  status: string | null;
  /** Our references of the captures and refunds of the disputed payment. */
  references: string[];
}
