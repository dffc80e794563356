/**
 * What the model knows of each object. An id is null until the object was found in the database: an answer that got
 * lost named none.
 */
import type { EventType } from "@oriel/protocol/api";
import type { DeclineCode } from "@oriel/protocol/declines";
import type { ErrorCode } from "@oriel/protocol/errors";
import type { Checkout } from "../setup/customer.ts";

/** What the bank says, or why it is not known. */
export type Outcome = "approved" | DeclineCode;

export interface ModelCard {
  /** What is typed, or the id of the test payment method. */
  name: string;
  says: Outcome;
  /** `soft`: authenticated without a challenge, with which the bank is then not content. */
  threeDS?: "frictionless" | "challenge" | "soft";
  refuses?: "capture" | "refund";
}

interface Told {
  id: string | null;
  /** The events about it, in order. */
  events: EventType[];
}

export interface ModelPaymentMethod {
  id: string | null;
  card: ModelCard;
  reusable: boolean;
  detached: boolean;
}

export interface ModelSession extends Told {
  checkout: Checkout;
  mode: "payment" | "setup";
  captureMethod: "automatic" | "manual";
  confirmation: "automatic" | "server";
  saves: boolean;
  status: "open" | "complete" | "expired" | "canceled";
  paymentStatus: "unpaid" | "processing" | "authorized" | "paid" | "none";
  failed: number;
  payment: ModelDecision | null;
  expiresAt: number;
}

export interface ModelDecision {
  id: string | null;
  session: ModelSession | null;
  method: ModelPaymentMethod;
  amount: number;
  status: "requires_action" | "approved" | "declined" | "expired" | "consumed";
  expiresAt: number;
  declineCode: DeclineCode | null;
  /** Null where the card takes no part in 3-D Secure. */
  authentication: { status: "method" | "challenge" | "complete"; deadline: number; isStepUp: boolean } | null;
  /** The authorisation or the verification; the later one, of two. */
  attempt: ModelAttempt | null;
}

export interface ModelCharge extends Told {
  decision: ModelDecision;
  status: "processing" | "authorized" | "succeeded" | "failed" | "canceled";
  captureMethod: "automatic" | "manual";
  amount: number;
  captured: number;
  refunded: number;
  refunding: number;
  busy: ModelAttempt | null;
  declineCode: DeclineCode | null;
}

export interface ModelRefund extends Told {
  charge: ModelCharge;
  amount: number;
  status: "processing" | "succeeded" | "failed";
  declineCode: DeclineCode | null;
}

export interface ModelAttempt {
  kind: "authorize" | "verify" | "capture" | "cancel" | "refund";
  decision: ModelDecision;
  charge: ModelCharge | null;
  refund: ModelRefund | null;
  amount: number;
  isStepUp: boolean;
  /** What stands in the bank's books. */
  atBank: Outcome | null;
  /** What we know of it. */
  outcome: Outcome | null;
  createdAt: number;
  /** The merchant has canceled the charge meanwhile. */
  withdrawnAt: number | null;
  timesAsked: number;
  nextAskAt: number;
  askingUntil: number;
  request: ModelRequest | null;
}

/** A request that was sent under an idempotency key. */
export interface ModelRequest {
  key: string;
  path: string;
  body: object;
  sentAt: number;
  attempt: ModelAttempt | null;
  /** The answer that is kept; its bytes, if anybody has seen them. */
  stored: { status: number; text: string | null } | null;
}

/** What a request is to be answered. */
export interface Expected {
  status: number;
  code?: ErrorCode;
  param?: string;
  declineCode?: DeclineCode;
  /** A part of the body. */
  body?: object;
}
