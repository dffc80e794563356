/**
 * The JSON that the frame and the service exchange, on the checkout origin and therefore without CORS.
 *
 * ```
 * POST /frame/sessions/:session_id/open     { client_secret }  -> FrameSession      the secret buys a token, kept in memory only
 *                                           { client_secret, lost_request }          the same, after a payment request without an answer
 * GET  /frame/sessions/:session_id/why                          -> FrameWhy          why a frame is silent
 * POST /frame/payments                      FramePaymentRequest -> FrameAnswer       one try to pay
 * GET  /frame/payments/:id                                      -> FrameAnswer
 * POST /frame/payments/:id/authenticate     {}                  -> FrameAnswer       the 3DS Method is over; ask the bank
 * POST /frame/payments/:id/cancel           {}                  -> FrameAnswer       the customer gives up the challenge
 * GET  /3ds/run/:id                                             the runner document, nested in the checkout page
 * POST /3ds/method, POST /3ds/challenge                         where the bank's forms land; they only wake the runner
 * ```
 * All but `open` and `why` carry `Authorization: Bearer <token>`. Errors have the API's envelope. A `FrameAnswer`
 * always brings a fresh `encryption`; after `card_message_stale` the frame takes the one beside the error, encrypts
 * anew and tries once more, unseen.
 *
 * A payment request whose answer never came is asked about by `lost_request`, its `request_id`. The answer is final:
 * `received` is true, and `payment` is what came of it; or false, and the service refuses the request should it still
 * arrive, for the session's `payment_round` is another one from then on. Other pages of the session hear of that by
 * `card_message_stale`.
 *
 * A payment is one try of the customer's; its id is its decision's. It moves only forward:
 *
 * ```
 * three_ds -> authenticating -> challenge | decoupled -> processing -> succeeded | declined | requires_confirmation
 *    ^   (any step may be left out; a declined one is final and the customer may start another)      |
 *    +----------------- the issuer wants the customer after all: once, and in the same payment ------+ (from processing)
 * ```
 */

import type { CardNetwork } from "./card-networks.ts";
import type { CustomerReason } from "./declines.ts";
import type { BrowserFields, ChallengeWindowSize } from "./threeds.ts";
import type { ChallengeOutcome } from "./windows.ts";

/** What the page needs to show the form and to encrypt a card. */
export interface FrameSession {
  /** Bearer token for the calls below. Lives as long as this load of the page; never stored. */
  token: string;
  session: {
    id: string;
    livemode: boolean;
    /** `setup`: a card is saved and nothing is paid; there is then no amount. */
    mode: "payment" | "setup";
    status: "open" | "complete" | "expired" | "canceled";
    payment_status: "unpaid" | "processing" | "authorized" | "paid" | "none";
    amount: number | null;
    currency: string | null;
    /** With `payment`: whether the card is kept for later charges, which the customer is told. */
    save_payment_method: boolean;
    /** `merchant`: the host page may press Pay by the verb `submit`, and may hide the form's own button. */
    submit_button: "built-in" | "merchant";
    merchant_name: string;
    description: string | null;
    /** What is paid for, as the merchant listed it; empty where it did not. `amount` is of one. */
    line_items: { name: string; amount: number; quantity: number }[];
    /** Exact origins that may hold the frame. The frame closes a port that came from any other. */
    allowed_origins: string[];
    return_url: string | null;
    cancel_url: string | null;
    /** Unix seconds. */
    expires_at: number;
    attempts_left: number;
    /** To be sent with each payment request. */
    payment_round: number;
  };
  encryption: CardEncryption;
  /** Whether `lost_request` has arrived; false: it is refused if it still does. Null where none was named. */
  received: boolean | null;
  /**
   * With `received`, what came of that request. Else the payment in flight, or the one that completed the session: what
   * a reload or a second tab has to show.
   */
  payment: FramePayment | null;
  /** The service's time, Unix milliseconds. A customer's device may have another. */
  now: number;
}

/**
 * How to encrypt a card for the vault: JWE compact, `ECDH-ES+A256KW` with `A256GCM` (RFC 7516, RFC 7518 4.6), plaintext
 * {@link CardMessage}.
 */
export interface CardEncryption {
  key: { kty: "EC"; crv: "P-256"; x: string; y: string; kid: string };
  /** Single use, ten minutes, bound to this session. */
  nonce: string;
}

/** The plaintext inside the JWE. The number and the code are digits only. */
export interface CardMessage {
  number: string;
  /** 1 to 12 */
  exp_month: number;
  /** Four digits */
  exp_year: number;
  cvc: string;
  /** The network that the customer chose for a card that two share; absent for any other card. */
  network?: CardNetwork;
  session_id: string;
  nonce: string;
}

export interface FramePaymentRequest {
  /** JWE compact serialisation, at most 8 kB. */
  card: string;
  browser: BrowserFields;
  /** The challenge window that fits the room there is. */
  challenge_window_size: ChallengeWindowSize;
  /** What the customer was asked for beside the card; absent where nothing was. */
  billing_details?: BillingDetails;
  /**
   * A UUID, new for each request, to ask about it by. Pages loaded before an upgrade send neither this nor the round.
   */
  request_id?: string;
  /** As the session last told it. */
  payment_round?: number;
}

/** Who pays, as typed in the form or given by the merchant. None of it is card data. */
export interface BillingDetails {
  /** 1 to 100 characters. */
  name?: string;
  /** 3 to 200 characters. */
  email?: string;
  /** 1 to 20 characters. */
  postal_code?: string;
  /** ISO 3166-1 alpha-2, upper case. */
  country?: string;
}

/**
 * `GET /frame/sessions/:session_id/why?origin=`, without a token: how things stand with a session whose frame stays
 * silent. `listed`: a page of that origin may hold the frame, which `frame-ancestors` tells anyone who knows the
 * session's id.
 */
export interface FrameWhy {
  session: "open" | "expired" | "invalid";
  listed: boolean;
}

export type FramePayment = { id: string } & (
  | {
      /** Load the runner, run the 3DS Method in it if there is one, then call `authenticate`. */
      status: "three_ds";
      /** Path of the runner document. */
      runner: string;
      method: { url: string; data: string; /** How long to wait for it, milliseconds */ timeout_ms: number } | null;
    }
  | {
      /** The bank is being asked, or its word on a challenge that is over is awaited. Poll. */ status: "authenticating";
    }
  | {
      /** The bank asks the customer elsewhere, in its app say, and no page of its own is shown. Poll. */
      status: "decoupled";
      /** A sentence of the issuer's for the customer, shown as text. */
      cardholder_info: string | null;
      /** Unix seconds; the service ends it then. */
      deadline: number;
    }
  | {
      /** Show the bank's page in the runner: a form with `creq`, posted to `acs_url`, once. */
      status: "challenge";
      runner: string;
      acs_url: string;
      creq: string;
      window_size: ChallengeWindowSize;
      /** Unix seconds; the service ends it then. */
      deadline: number;
    }
  | { /** The bank's answer to the charge is awaited; not known yet. "Do not pay again." */ status: "processing" }
  | { status: "succeeded" }
  | {
      /** `confirmation: "server"`: the merchant's server charges. */ status: "requires_confirmation";
      payment_method_id: string;
      decision_id: string;
    }
  | {
      status: "declined";
      reason: CustomerReason;
      /** A sentence of the issuer's for the customer, shown as text. */
      cardholder_info: string | null;
      /**
       * How the bank's challenge ended, if there was one: it can have been passed and the charge declined all the same.
       */
      challenge_outcome: ChallengeOutcome | null;
      /** May the customer try again here: attempts are left and the session is open. */
      retryable: boolean;
    }
);

export interface FrameAnswer {
  payment: FramePayment;
  session: { status: FrameSession["session"]["status"]; attempts_left: number };
  encryption: CardEncryption;
}

/** Type of the message that the bank's landing pages and the runner send within our own origin. */
export const threeDSMessageType = "oriel:3ds";

/**
 * Messages inside the checkout origin, by `postMessage` to exactly that origin, believed only when both `origin` and
 * `source` fit: checkout page -> runner (`method`, `challenge`), runner -> checkout page (`ready`, `loaded`,
 * `notified`), landing page -> runner (`notified`). None carries a result.
 */
export type ThreeDSMessage = { type: typeof threeDSMessageType } & (
  | { step: "ready" }
  | { step: "method"; url: string; data: string }
  | { step: "challenge"; url: string; creq: string; width: number | null; height: number | null }
  | { step: "loaded" }
  | { step: "notified"; phase: "method" | "challenge" }
);
