/**
 * The acquirer's HTTP interface, published by the sandbox bank and used by the vault's bank adapter.
 *
 * ```
 * POST /acquirer/authorizations   AuthorizationRequest -> Authorization    authorize, or authorize and capture
 * POST /acquirer/captures         CaptureRequest       -> Capture          capture once; the remainder is released
 * POST /acquirer/cancels          CancelRequest        -> Cancel           release the authorization
 * POST /acquirer/refunds          RefundRequest        -> Refund           refund at most the captured amount
 * GET  /acquirer/<each of the four>/:reference         -> the same, or 404 for an unknown reference
 * GET  /acquirer/<each of the four>                    -> { <its name>: [...] }   all records, oldest first
 * POST /directory-server                               PReq | AReq -> PRes | ARes | Erro
 * GET  /directory-server/results/:threeDSServerTransID -> RReq, or 404 until there is a result
 * ```
 * Every request carries `Authorization: Bearer <the key the acquirer issued to us>`. The acquirer posts 3DS results to
 * `threeDSServerURL` with the key that we issued to it; a result that wasn't delivered can be fetched.
 *
 * A reference identifies one attempt forever. Sending it again moves no more money, and sending a different body under
 * a used reference returns 409. If the acquirer declines an attempt, the response is `declined`, and the attempt is
 * recorded. If a capture or cancellation is declined and the acquirer doesn't know the authorization, nothing is
 * reserved.
 */

import type { CardNetwork } from "./card-networks.ts";
import type { DeclineCode } from "./declines.ts";

/** The merchant ID that the acquirer assigns: EMV 3DS acquirerMerchantID, at most 35 characters. */
export const merchantIdPattern = "^[0-9A-Za-z_.:-]{1,35}$";

export interface AuthorizationRequest {
  /** Our attempt's ID, which the acquirer uses as the idempotency key. */
  reference: string;
  /** In the currency's smallest unit. Zero without capture verifies the card and moves no money. */
  amount: number;
  currency: string;
  /** Whether to capture immediately or only authorize. */
  capture: boolean;
  card: { number: string; exp_month: number; exp_year: number; cvc?: string };
  /** The network that the cardholder chose for a co-badged card. If absent, the acquirer decides. */
  network?: CardNetwork;
  /**
   * The acquirer's ID of the merchant, see {@link merchantIdPattern}. Always set in live mode, never in test mode.
   */
  merchant_id?: string;
  /** Proof of authentication, if the cardholder was authenticated. `eci` is set if the directory server sent one. */
  three_d_secure?: { eci?: string; authentication_value?: string; ds_trans_id: string };
}

export interface CaptureRequest {
  reference: string;
  /** The reference of the authorization. */
  authorization: string;
  /** At most the authorized amount. */
  amount: number;
}

export interface CancelRequest {
  reference: string;
  authorization: string;
}

export interface RefundRequest {
  reference: string;
  authorization: string;
  /** At most the captured amount that isn't refunded yet. */
  amount: number;
}

/** The fields of every response. */
interface ResponseFields {
  reference: string;
  status: "approved" | "declined";
  /** Set if `status` is `declined`. */
  decline_code?: DeclineCode;
  /** Why it was declined, as returned by the issuer: at most 64 and 256 characters, without card data. */
  refusal_code?: string;
  refusal_reason?: string;
  /** How many requests the acquirer has received with this reference. */
  requests: number;
  /** Unix seconds. */
  created: number;
}

export interface Authorization extends ResponseFields {
  amount: number;
  currency: string;
  /** Whether the amount was captured immediately. */
  captured: boolean;
  /**
   * Captured so far, at most `amount`. `amount_refunded` is at most this.
   */
  amount_captured: number;
  amount_refunded: number;
  /** Whether the authorization was released. */
  canceled: boolean;
  /** The acquirer's own ID for it, at most 64 characters. */
  authorization_id: string;
  /** The issuer's code of an approval: ISO 8583 field 38, at most 16 characters. */
  authorization_code?: string;
  /** The issuer's results of checking the billing address and the CVC, at most 16 characters each. */
  avs_result?: string;
  cvc_result?: string;
  /** The card network's ID of the transaction, at most 64 characters. */
  network_transaction_id?: string;
  /** The last four digits, as printed on a receipt. */
  card: { last4: string };
  /** The network from the request. */
  network?: CardNetwork;
  /** The merchant ID from the request. */
  merchant_id?: string;
  /** Whether the request carried proof of authentication. */
  authenticated: boolean;
}

export interface Capture extends ResponseFields {
  authorization: string;
  amount: number;
}

export interface Cancel extends ResponseFields {
  authorization: string;
}

export interface Refund extends ResponseFields {
  authorization: string;
  amount: number;
}
