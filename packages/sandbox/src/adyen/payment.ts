/**
 * A payment in Adyen's ledger and what can be done with it. These functions are pure.
 *
 * ```
 * reserved --capture, once; the rest is released--> captured --refunds, up to the captured amount
 *    \---- cancel or expiry, while nothing is captured --> released
 * ```
 * With multiple partial captures, the rest stays reserved for other captures until it's canceled.
 *
 * Money moves only by entries, which are never changed. A dispute isn't limited by what was captured or refunded.
 */
import type { Refusals } from "../acquirer/ledger-entry.ts";
import type { Amount, DisputeEventCode, FailureEventCode } from "./messages.ts";

export type EntryType =
  | "authorized"
  | "captured"
  | "released"
  | "canceled"
  | "expired"
  | "refunded"
  | "capture_failed"
  | "refund_failed"
  | "refund_reversed"
  | "captured_again"
  | "refunded_again"
  | "charged_back"
  | "chargeback_reversed"
  | "charged_back_again";

export interface Entry {
  type: EntryType;
  /** What was reserved on the card, or the merchant's money. */
  account: "reserved" | "merchant";
  /** Signed. */
  value: number;
  currency: string;
  /** Of the payment, modification or dispute. */
  pspReference: string;
  /** ISO 8601. */
  at: string;
}

export type ModificationKind = "capture" | "cancel" | "refund" | "reversal" | "technical_cancel";

export interface Modification {
  kind: ModificationKind;
  pspReference: string;
  /** The merchant's. */
  reference: string | null;
  amount: Amount;
  state: "received" | "done" | "refused" | "failed_later" | "repeated";
}

export interface Payment {
  pspReference: string;
  /** The merchant's. Adyen doesn't require it to be unique. */
  merchantReference: string;
  amount: Amount;
  brand: string;
  last4: string;
  /** How otherwise valid captures and refunds end. */
  refuses: Refusals;
  entries: Entry[];
  modifications: Modification[];
}

export type Move = Pick<Entry, "type" | "account" | "value">;

/** The entries of a modification, or the reason why it's refused. */
export type Outcome = { moves: Move[] } | { reason: string };

/** What the authorization still reserves. */
export function reservedOf({ entries }: Payment): number {
  return sumOf(entries.filter(({ account }) => account === "reserved"));
}

/** What captures and refunds move, with their failures and repetitions. Disputes are different. */
const movementTypes: ReadonlySet<EntryType> = new Set([
  ...(["captured", "capture_failed", "captured_again"] as const),
  ...(["refunded", "refund_failed", "refund_reversed", "refunded_again"] as const),
]);

/** What was captured and not refunded, in the payment's currency. */
export function movementsOf({ entries }: Pick<Payment, "entries">): Entry[] {
  return entries.filter(({ account, type }) => account === "merchant" && movementTypes.has(type));
}

/** What can still be refunded, in the payment's currency. */
function refundableOf(payment: Payment): number {
  return sumOf(movementsOf(payment));
}

export function decideCapture(payment: Payment, amount: Amount, canCaptureAgain: boolean): Outcome {
  const reserved = reservedOf(payment);
  if (reserved === 0) return { reason: "Nothing is reserved" };
  if (amount.currency !== payment.amount.currency) return { reason: "The currency differs from the payment's" };
  if (amount.value > reserved) return { reason: "The amount exceeds the authorized amount" };
  if (payment.refuses.capture !== undefined) return { reason: "Refused" };
  return { moves: captureMoves(canCaptureAgain ? amount.value : reserved, amount.value) };
}

/** The rest of the reservation is released. */
export function captureMoves(reserved: number, value: number): Move[] {
  const rest = reserved - value;
  return [
    { type: "captured", account: "reserved", value: -value },
    { type: "captured", account: "merchant", value },
    ...(rest === 0 ? [] : [{ type: "released", account: "reserved", value: -rest } as const]),
  ];
}

export function decideCancel(payment: Payment): Outcome {
  const reserved = reservedOf(payment);
  if (reserved === 0) return { reason: "Nothing is reserved" };
  return { moves: [{ type: "canceled", account: "reserved", value: -reserved }] };
}

/** The issuer no longer reserves the amount. */
export function expiryMove(payment: Payment): Move {
  return { type: "expired", account: "reserved", value: -reservedOf(payment) };
}

export function decideRefund(payment: Payment, amount: Amount): Outcome {
  if (amount.currency !== payment.amount.currency) return { reason: "The currency differs from the payment's" };
  if (amount.value > refundableOf(payment)) return { reason: "The amount exceeds what is captured" };
  if (payment.refuses.refund !== undefined) return { reason: "Refused" };
  return { moves: [{ type: "refunded", account: "merchant", value: -amount.value }] };
}

/** Cancels the payment, or refunds it if it's captured. */
export function decideReversal(payment: Payment, amount: Amount): Outcome {
  return reservedOf(payment) > 0 ? decideCancel(payment) : decideRefund(payment, amount);
}

/** A capture or refund that was done fails after all. */
export function failureMove(eventCode: FailureEventCode, { value }: Amount): Move {
  switch (eventCode) {
    case "CAPTURE_FAILED":
      return { type: "capture_failed", account: "merchant", value: -value };
    case "REFUND_FAILED":
      return { type: "refund_failed", account: "merchant", value };
    case "REFUNDED_REVERSED":
      return { type: "refund_reversed", account: "merchant", value };
  }
}

/** A capture or refund that had failed after all succeeds. */
export function repetitionMove({ kind, amount: { value } }: Modification): Move {
  const move = { account: "merchant" } as const;
  return kind === "capture"
    ? { ...move, type: "captured_again", value }
    : { ...move, type: "refunded_again", value: -value };
}

/** Returns null for an event that moves no money. */
export function disputeMove(eventCode: DisputeEventCode, { value }: Amount): Move | null {
  switch (eventCode) {
    case "NOTIFICATION_OF_CHARGEBACK":
      return null;
    case "CHARGEBACK":
      return { type: "charged_back", account: "merchant", value: -value };
    case "CHARGEBACK_REVERSED":
      return { type: "chargeback_reversed", account: "merchant", value };
    case "SECOND_CHARGEBACK":
      return { type: "charged_back_again", account: "merchant", value: -value };
  }
}

export interface Balance {
  reserved: number;
  merchant: number;
}

/** By currency. */
export function balancesOf(entries: readonly Entry[]): Record<string, Balance> {
  const balances: Record<string, Balance> = {};
  for (const { account, value, currency } of entries) {
    const balance = (balances[currency] ??= { reserved: 0, merchant: 0 });
    balance[account] += value;
  }
  return balances;
}

function sumOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, { value }) => sum + value, 0);
}
