/**
 * The acquirer's HTTP interface, as the bank publishes it and the vault's bank adapter speaks it.
 *
 * ```
 * POST /acquirer/authorizations               AuthorizationRequest -> Authorization     idempotent by `reference`
 * GET  /acquirer/authorizations/:reference    -> Authorization, or 404 when the bank has never heard of it
 * GET  /acquirer/authorizations               -> { authorizations: Authorization[] }    its books, oldest first
 * POST /directory-server                      PReq | AReq -> PRes | ARes | Erro
 * ```
 * Every call carries `Authorization: Bearer <the key the bank gave us>`. The bank tells 3DS results to `threeDSServerURL`, with the
 * key we gave the bank. A reference names one attempt to move money for ever: sent twice it moves money once, and a different body
 * under a used reference is refused with 409.
 */

import type { DeclineCode } from "./errors.ts";

export interface AuthorizationRequest {
  /** Our attempt's id. The bank's idempotency key. */
  reference: string;
  /** Smallest unit of the currency. */
  amount: number;
  currency: string;
  /** Take the money at once, or only reserve it. */
  capture: boolean;
  card: { number: string; exp_month: number; exp_year: number; cvc?: string };
  /** Proof of authentication, where there was one. */
  three_d_secure?: { eci: string; authentication_value?: string; ds_trans_id: string };
}

export interface Authorization {
  reference: string;
  status: "approved" | "declined";
  amount: number;
  currency: string;
  captured: boolean;
  /** With `declined`. */
  decline_code?: DeclineCode;
  /** What the bank calls it. */
  authorization_id: string;
  /** Brand and last four, as a bank prints them on a slip. */
  card: { last4: string };
  /** Whether proof of authentication came with it. */
  authenticated: boolean;
  /** How often the bank was asked under this reference. */
  requests: number;
  /** Unix seconds. */
  created: number;
}
