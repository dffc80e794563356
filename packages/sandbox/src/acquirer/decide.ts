/**
 * Decides how the acquirer responds to a new reference. These functions are pure: the ledger supplies the earlier state
 * and stores the result.
 *
 * ```
 * reserved --capture, once; the rest is released--> captured --refunds, up to the captured amount--> captured
 *    \---- cancel, while not captured ----------> canceled
 * ```
 * An authorization with `capture` starts as captured.
 *
 * Anything else is declined with `transaction_not_allowed`. There's nothing to capture, cancel or refund on a declined
 * authorization, or on one of amount 0, which only verifies the card.
 */
import { randomInt, randomUUID } from "node:crypto";
import type {
  Authorization,
  AuthorizationRequest,
  CancelRequest,
  CaptureRequest,
  RefundRequest,
} from "@oriel/protocol/acquirer";
import type { DeclineCode } from "@oriel/protocol/declines";
import type { BankSecret } from "../bank-secret.ts";
import { outcomeOf, refusalsOf } from "../cards.ts";
import type { AuthorizationEntry, LaterEntry } from "./ledger-entry.ts";

/**
 * Proof of authentication shifts liability for fraud. It affects the outcome only for cards that require
 * authentication.
 */
export function decideAuthorization(
  request: AuthorizationRequest,
  secret: BankSecret,
  nowMs: number,
): AuthorizationEntry {
  const proven = secret.proven(request);
  const outcome = outcomeOf(request.card, proven, nowMs);
  const isTaken = outcome === "approved" && request.capture;
  const response: Authorization = {
    ...commonFields(request.reference, outcome === "approved" ? null : outcome, nowMs),
    amount: request.amount,
    currency: request.currency,
    captured: isTaken,
    amount_captured: isTaken ? request.amount : 0,
    amount_refunded: 0,
    canceled: false,
    authorization_id: `bank_${randomUUID()}`,
    ...(outcome === "approved" ? approvalOf(request.card) : refusalOf(outcome)),
    card: { last4: request.card.number.slice(-4) },
    ...(request.network === undefined ? {} : { network: request.network }),
    ...(request.merchant_id === undefined ? {} : { merchant_id: request.merchant_id }),
    authenticated: proven !== "nothing",
  };
  return {
    kind: "authorization",
    fingerprint: secret.fingerprint(request),
    response,
    refuses: refusalsOf(request.card.number),
  };
}

/**
 * What an issuer adds to an approval: its code, `M` if the CVC matches, and the network's ID. Real ones also contain
 * digits. Letters can't be mistaken for card data when you search for it.
 */
function approvalOf({ cvc }: AuthorizationRequest["card"]) {
  return {
    authorization_code: letters(6),
    ...(cvc === undefined ? {} : { cvc_result: "M" }),
    network_transaction_id: letters(15),
  };
}

/** The issuer's response code (ISO 8583 field 39) for the declines that have one of their own. */
function refusalOf(declineCode: DeclineCode) {
  const response = issuerResponses[declineCode] ?? { code: "05", reason: "Do not honor" };
  return { refusal_code: response.code, refusal_reason: response.reason };
}

const issuerResponses: Partial<Record<DeclineCode, { code: string; reason: string }>> = {
  incorrect_number: { code: "14", reason: "Invalid card number" },
  lost_card: { code: "41", reason: "Lost card" },
  stolen_card: { code: "43", reason: "Stolen card" },
  insufficient_funds: { code: "51", reason: "Insufficient funds" },
  expired_card: { code: "54", reason: "Expired card" },
  transaction_not_allowed: { code: "57", reason: "Transaction not permitted to cardholder" },
  card_velocity_exceeded: { code: "65", reason: "Withdrawal frequency exceeded" },
  issuer_not_available: { code: "91", reason: "Issuer unavailable" },
  authentication_required: { code: "1A", reason: "Additional customer authentication required" },
  incorrect_cvc: { code: "N7", reason: "CVV2 failure" },
};

function letters(length: number): string {
  return String.fromCharCode(...Array.from({ length }, () => randomInt(65, 91)));
}

export function decideCapture(
  request: CaptureRequest,
  { response, refuses }: AuthorizationEntry,
  nowMs: number,
): LaterEntry {
  const { reference, authorization, amount } = request;
  const declined =
    isReserved(response) && amount <= response.amount ? (refuses.capture ?? null) : "transaction_not_allowed";
  return {
    kind: "capture",
    fingerprint: fingerprintOf(request),
    response: { ...commonFields(reference, declined, nowMs), authorization, amount },
  };
}

export function decideCancel(request: CancelRequest, { response }: AuthorizationEntry, nowMs: number): LaterEntry {
  const { reference, authorization } = request;
  const declined = isReserved(response) ? null : "transaction_not_allowed";
  return {
    kind: "cancel",
    fingerprint: fingerprintOf(request),
    response: { ...commonFields(reference, declined, nowMs), authorization },
  };
}

export function decideRefund(
  request: RefundRequest,
  { response, refuses }: AuthorizationEntry,
  nowMs: number,
): LaterEntry {
  const { reference, authorization, amount } = request;
  const isLeft = amount <= response.amount_captured - response.amount_refunded;
  const declined = isLeft ? (refuses.refund ?? null) : "transaction_not_allowed";
  return {
    kind: "refund",
    fingerprint: fingerprintOf(request),
    response: { ...commonFields(reference, declined, nowMs), authorization, amount },
  };
}

/** Returns the authorization as it is after the operation. */
export function afterwards(authorization: Authorization, { kind, response }: LaterEntry): Authorization {
  if (response.status === "declined") return authorization;
  switch (kind) {
    case "capture":
      return { ...authorization, amount_captured: response.amount };
    case "cancel":
      return { ...authorization, canceled: true };
    case "refund":
      return { ...authorization, amount_refunded: authorization.amount_refunded + response.amount };
  }
}

/** Fingerprint of a request without a card: its contents in plain text. */
export function fingerprintOf(request: CaptureRequest | CancelRequest | RefundRequest): string {
  return JSON.stringify("amount" in request ? [request.authorization, request.amount] : [request.authorization]);
}

/** Whether there's reserved money that was neither captured nor released. */
function isReserved({ status, amount, amount_captured, canceled }: Authorization): boolean {
  return status === "approved" && amount > 0 && amount_captured === 0 && !canceled;
}

function commonFields(reference: string, declineCode: DeclineCode | null, nowMs: number) {
  const said =
    declineCode === null ? { status: "approved" as const } : { status: "declined" as const, decline_code: declineCode };
  return { reference, ...said, requests: 1, created: Math.floor(nowMs / 1000) };
}
