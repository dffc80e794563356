/**
 * The port of an acquirer. A connector implements it for one vendor and declares what the vendor can do.
 *
 * Every operation has a reference that we choose. A reply is returned only if the vendor's response was complete. In
 * all other cases NoReplyError or InvalidReplyError is thrown (`errors.ts`), and the outcome is unknown: the money may
 * have moved or not. The connector declares how such an outcome is resolved ({@link UnknownOutcome}).
 */
import type { CardNetwork } from "@oriel/protocol/card-networks";
import type { DeclineCode } from "@oriel/protocol/declines";
import type { Mode } from "../mode.ts";

/** Operations that move money. */
export type OperationKind = "authorize" | "capture" | "cancel" | "refund";

/** An amount in the currency's smallest unit (ISO 4217), and the currency in lowercase, such as `eur`. */
export interface Money {
  amount: number;
  currency: string;
}

/** The vendor's reply to an operation. */
export type AcquirerReply =
  | { status: "approved"; details: Details }
  | { status: "declined"; declineCode: DeclineCode; details: Details }
  /** The vendor accepted the request. A notification reports the outcome. */
  | { status: "pending"; details: Details };

/** What we keep and show of a reply. Null if the vendor doesn't provide it. */
export interface Details {
  /** The vendor's ID of the operation. Later operations and notifications refer to it. */
  acquirerId: string | null;
  authorizationCode: string | null;
  avsResult: string | null;
  cvcResult: string | null;
  /** The card network's ID of the transaction. */
  networkTransactionId: string | null;
  /** Why the payment was refused, as returned by the vendor or the issuer. */
  refusal: { code: string | null; reason: string | null } | null;
}

export const noDetails: Details = {
  acquirerId: null,
  authorizationCode: null,
  avsResult: null,
  cvcResult: null,
  networkTransactionId: null,
  refusal: null,
};

interface Operation {
  /** Our attempt's ID. */
  reference: string;
  /** Whether it may have been sent before. Then a rejected request doesn't prove that no money moved. */
  isRepeated: boolean;
}

export interface Authorization extends Operation, Money {
  /** Whether the money is captured at once. */
  capture: boolean;
  card: { number: string; expMonth: number; expYear: number; cvc?: string };
  cardholderName?: string;
  /** The acquirer's ID of the merchant, if its credentials are for several merchants. */
  merchantId?: string;
  /** The network that the cardholder chose for a co-badged card. If absent, the acquirer decides. */
  network?: CardNetwork;
  /** Proof that the cardholder was authenticated. */
  proof?: Proof;
  /** How the card is used: typed in now, or stored. */
  usage: CardUsage;
  /** Data about the customer that helps the issuer decide. */
  customer?: Customer;
  /** At most 22 characters on the cardholder's statement. */
  statementDescriptor?: string;
}

/**
 * - `once`: the customer is present, and the card isn't kept.
 * - `store`: the customer is present and agreed that the card may be used again.
 * - `stored_by_customer`: the customer is present and pays with a stored card.
 * - `stored_by_merchant`: the merchant charges a stored card, and the customer isn't present. `firstNetworkTransactionId`
 *   is that of the payment with which the card was stored.
 */
export type CardUsage =
  | { kind: "once" }
  | { kind: "store" }
  | { kind: "stored_by_customer"; firstNetworkTransactionId: string | null }
  | { kind: "stored_by_merchant"; firstNetworkTransactionId: string | null };

export interface Customer {
  /** Our ID of the customer at this merchant. */
  id?: string;
  email?: string;
  ip?: string;
  billingAddress?: Address;
}

export interface Address {
  line1: string;
  line2?: string;
  city: string;
  /** ISO 3166-2 subdivision without the country, such as `CA`. */
  state?: string;
  postalCode: string;
  /** ISO 3166-1 alpha-2. */
  country: string;
}

/** The result of 3-D Secure, as the acquirer needs it (EMV 3DS 2.2.0, table A.1). */
export interface Proof {
  version: string;
  dsTransId: string;
  eci?: string;
  authenticationValue?: string;
  /** The status in the ARes. `C` if there was a challenge. */
  authenticationStatus: string;
  /** The status in the RReq. Only after a challenge. */
  challengeStatus?: string;
}

/** An operation on an authorization that was approved. */
export interface LaterOperation extends Operation {
  /** `acquirerId` is from the reply to the authorization. */
  authorization: { reference: string; acquirerId: string | null };
}

/** A capture or refund. It can be partial. */
export interface MoneyOperation extends LaterOperation, Money {}

/** Of an authorization whose outcome is unknown. The amount is the authorization's. */
export interface Reversal extends Operation, Money {
  authorizationReference: string;
}

/**
 * How the outcome of an operation is found if no reply arrived.
 *
 * - `reference`: the vendor can look up an operation by its reference. `lookup` returns null if the vendor never
 *   received it, so no money has moved.
 * - `replay`: exactly the same request is sent again, which moves no more money as long as the vendor remembers the first.
 *   It must not be sent later than `safeForMs` after the first request. An authorization must also not be sent without the
 *   CVC that it had at first. A notification then reports the outcome, or nobody knows it. An authorization can be reversed
 *   meanwhile.
 */
export type UnknownOutcome =
  | { by: "reference"; lookup(kind: OperationKind, reference: string): Promise<AcquirerReply | null> }
  | {
      by: "replay";
      safeForMs: number;
      /**
       * Releases the authorization with this reference. Declined if the vendor doesn't have it (yet), or if the money
       * was captured, which only the notification about the authorization can tell apart. Captured money must be
       * refunded, with the acquirer's ID from that notification.
       */
      reverse(reversal: Reversal): Promise<AcquirerReply>;
    };

/** An acquirer that finds outcomes by reference. */
export interface AcquirerWithLookup<M extends Mode = Mode> extends Acquirer<M> {
  readonly unknownOutcome: Extract<UnknownOutcome, { by: "reference" }>;
}

/** What the vendor supports, for one account. */
export interface Capabilities {
  /** `immediate`: the reply is the outcome. `notified`: the reply is `pending`, and a notification has the outcome. */
  captures: "immediate" | "notified";
  cancels: "immediate" | "notified";
  refunds: "immediate" | "notified";
  /** Whether an authorization can be captured in several parts. */
  multiplePartialCaptures: boolean;
  /** Whether {@link Acquirer.cancelOrRefund} is possible. If not, a payment that was captured at once is refunded. */
  cancelsOrRefunds: boolean;
  /** Whether part of the amount can be approved. */
  partialApproval: boolean;
  /** Whether a stored card can be charged without the customer. */
  storedCards: boolean;
  /**
   * Converts an amount to the vendor's smallest unit, which may differ from ISO 4217. Null if the currency isn't
   * supported, the vendor's sources disagree on its unit, or the amount can't be expressed exactly.
   */
  toVendorAmount(money: Money): number | null;
  /** Numbers of the vendor's own test cards. Test mode accepts them in addition to the sandbox bank's. */
  testCards: readonly string[];
}

/** @throws NoReplyError, InvalidReplyError from each operation: the outcome is unknown */
export interface Acquirer<M extends Mode = Mode> {
  readonly mode: M;
  readonly capabilities: Capabilities;
  readonly unknownOutcome: UnknownOutcome;
  /** Reserves the money, or captures it at once. An amount of 0 verifies the card. */
  authorize(request: Authorization): Promise<AcquirerReply>;
  /** Captures all or part of a reservation. */
  capture(request: MoneyOperation): Promise<AcquirerReply>;
  /** Releases a reservation. */
  cancel(request: LaterOperation): Promise<AcquirerReply>;
  /** Refunds all or part of a captured amount. */
  refund(request: MoneyOperation): Promise<AcquirerReply>;
  /**
   * Returns an approved authorization in full, if its capture may not be done yet: releases the reservation, or refunds
   * what was captured. The notified outcome is `refunded` or `refund_declined`, whichever of the two it was.
   */
  cancelOrRefund(request: MoneyOperation): Promise<AcquirerReply>;
}
