/**
 * The model's state of each object. An ID is null until the object is found in the database, because a lost response
 * contained no ID.
 */
import type { EventType } from "@oriel/protocol/api";
import type { DeclineCode } from "@oriel/protocol/declines";
import type { ErrorCode } from "@oriel/protocol/errors";
import type { Checkout } from "../setup/customer.ts";

/** The acquirer's response, or the reason why it is unknown. */
export type Outcome = "approved" | DeclineCode;

export interface ModelCard {
  /** The card number that the customer types, or the ID of the test payment method. */
  name: string;
  says: Outcome;
  /** `soft`: authenticated without a challenge, but the issuer then insists on one. */
  threeDS?: "frictionless" | "challenge" | "soft";
  refuses?: "capture" | "refund";
}

interface WithEvents {
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

export interface ModelSession extends WithEvents {
  checkout: Checkout;
  mode: "payment" | "setup";
  captureMethod: "automatic" | "manual";
  confirmation: "automatic" | "server";
  saves: boolean;
  isFree: boolean;
  status: "open" | "complete" | "expired" | "canceled";
  /** As it's stored, so `unpaid` if the total is 0. */
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
  /** Null if the card isn't enrolled in 3-D Secure. */
  authentication: { status: "method" | "challenge" | "complete"; deadline: number; isStepUp: boolean } | null;
  /** The authorization or the verification. If there are two, the later one. */
  attempt: ModelAttempt | null;
}

export interface ModelCharge extends WithEvents {
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

export interface ModelRefund extends WithEvents {
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
  /** The state in the acquirer's records. */
  atBank: Outcome | null;
  /** What the service knows of it. */
  outcome: Outcome | null;
  createdAt: number;
  /** The merchant canceled the charge in the meantime. */
  withdrawnAt: number | null;
  calls: number;
  nextCallAt: number;
  claimedUntil: number;
  request: ModelRequest | null;
}

/** A request that was sent under an idempotency key. */
export interface ModelRequest {
  key: string;
  path: string;
  body: object;
  sentAt: number;
  attempt: ModelAttempt | null;
  /** The stored response. Its bytes are known once a client has received it. */
  stored: { status: number; text: string | null } | null;
}

/** The expected response to a request. */
export interface Expected {
  status: number;
  code?: ErrorCode;
  param?: string;
  declineCode?: DeclineCode;
  /** Part of the body. */
  body?: object;
}
