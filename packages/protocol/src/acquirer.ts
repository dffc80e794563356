/**
 * The acquirer's HTTP interface, as the bank publishes it and the vault's bank adapter speaks it.
 *
 * ```
 * POST /acquirer/authorizations   AuthorizationRequest -> Authorization    reserve the money, or take it at once
 * POST /acquirer/captures         CaptureRequest       -> Capture          take what was reserved, once; the rest is let go
 * POST /acquirer/cancels          CancelRequest        -> Cancel           let go of what was reserved
 * POST /acquirer/refunds          RefundRequest        -> Refund           give back, never more than was taken
 * GET  /acquirer/<each of the four>/:reference         -> the same, or 404 when the bank has never heard of it
 * GET  /acquirer/<each of the four>                    -> { <its name>: [...] }   its books, oldest first
 * POST /directory-server                               PReq | AReq -> PRes | ARes | Erro
 * GET  /directory-server/results/:threeDSServerTransID -> RReq, or 404 while there is no result
 * ```
 * Every call carries `Authorization: Bearer <the key the bank gave us>`. The bank tells 3DS results to
 * `threeDSServerURL`, with the key we gave the bank. A result that could not be told can be asked for. A reference
 * names one attempt to move money for ever: sent twice it moves money once, and a different body under a used reference
 * is refused with 409, never one that the bank doesn't know. What the bank will not do is an answer, `declined`, and
 * stands in its books too. A capture or a cancellation that is declined, of an authorization that the bank then doesn't
 * know, says that there is nothing reserved any more.
 */

import type { CardNetwork } from "./card-networks.ts";
import type { DeclineCode } from "./declines.ts";

/** What an acquirer calls a merchant. EMV 3DS (acquirerMerchantID): at most 35 characters. */
export const merchantIdPattern = "^[0-9A-Za-z_.:-]{1,35}$";

export interface AuthorizationRequest {
  /** Our attempt's id. The bank's idempotency key. */
  reference: string;
  /** Smallest unit of the currency. Zero, without capture, asks whether the card is good and moves nothing. */
  amount: number;
  currency: string;
  /** Take the money at once, or only reserve it. */
  capture: boolean;
  card: { number: string; exp_month: number; exp_year: number; cvc?: string };
  /** The network that the cardholder chose for a card that two share. Absent: the bank decides. */
  network?: CardNetwork;
  /**
   * What the acquirer calls the merchant whose sale it is, as in {@link merchantIdPattern}. In live mode always, in
   * test mode never.
   */
  merchant_id?: string;
  /** Proof of authentication, where there was one; with the ECI that the directory server gave, if it gave one. */
  three_d_secure?: { eci?: string; authentication_value?: string; ds_trans_id: string };
}

export interface CaptureRequest {
  reference: string;
  /** The reference of the authorisation that reserved the money. */
  authorization: string;
  /** At most what was reserved. */
  amount: number;
}

export interface CancelRequest {
  reference: string;
  authorization: string;
}

export interface RefundRequest {
  reference: string;
  authorization: string;
  /** At most what was taken and not given back yet. */
  amount: number;
}

/** What every answer of the acquirer has. */
interface Answer {
  reference: string;
  status: "approved" | "declined";
  /** With `declined`. */
  decline_code?: DeclineCode;
  /** How often the bank was asked under this reference. */
  requests: number;
  /** Unix seconds. */
  created: number;
}

export interface Authorization extends Answer {
  amount: number;
  currency: string;
  /** Whether the money was taken at once. */
  captured: boolean;
  /**
   * What was taken of it by now, and given back of that; never more than `amount`, never more than `amount_captured`.
   */
  amount_captured: number;
  amount_refunded: number;
  /** Whether what was reserved was let go. */
  canceled: boolean;
  /** What the bank calls it. */
  authorization_id: string;
  /** Brand and last four, as a bank prints them on a slip. */
  card: { last4: string };
  /** The one that the request asked for. */
  network?: CardNetwork;
  /** Whose sale it is, where the request said so. */
  merchant_id?: string;
  /** Whether proof of authentication came with it. */
  authenticated: boolean;
}

export interface Capture extends Answer {
  authorization: string;
  amount: number;
}

export interface Cancel extends Answer {
  authorization: string;
}

export interface Refund extends Answer {
  authorization: string;
  amount: number;
}
