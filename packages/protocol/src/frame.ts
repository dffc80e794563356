/**
 * The HTTP interface between the checkout iframe and the service. Both are on the checkout origin, so no CORS is
 * needed.
 *
 * ```
 * POST /frame/sessions/:session_id/open     { client_secret }   -> FrameSession   exchanges the secret for a token
 *                                           { client_secret, lost_request }      the same, after a request without a response
 * POST /frame/sessions/:session_id/complete FrameCompletionRequest -> FrameResponse  a total of 0, and no card to save
 * GET  /frame/sessions/:session_id/why                          -> FrameWhy       why an iframe doesn't respond
 * POST /frame/sessions/:session_id/shipping_option   FrameShippingChoice -> {}    the customer chooses; then open again
 * POST /frame/sessions/:session_id/promotion_code    FramePromotionCode -> FramePromotionCodeEntry  the customer enters a code
 * GET  /frame/sessions/:session_id/update_request    -> FrameUpdateRequest        what the merchant replied to it
 * POST /frame/payments                      FramePaymentRequest -> FrameResponse    one attempt to pay
 * GET  /frame/payments/:id                                      -> FrameResponse
 * POST /frame/payments/:id/authenticate     {}                  -> FrameResponse    the 3DS Method is done; authenticate
 * POST /frame/payments/:id/cancel           {}                  -> FrameResponse    the customer cancels the challenge
 * GET  /3ds/run/:id                                             the runner document, an iframe in the checkout page
 * POST /3ds/method/:owner, POST /3ds/challenge/:owner           receive the ACS's forms; they only notify the runner
 * ```
 * All requests except `open` and `why` carry `Authorization: Bearer <token>`. Errors have the same form as in the
 * public API. Every `FrameResponse` contains a fresh `encryption`. After `card_message_stale`, the iframe silently
 * encrypts the card again with the `encryption` next to the error and retries once.
 *
 * If a payment request gets no response, the iframe opens the session again with the `request_id` as `lost_request`.
 * The result is final. If `received` is true, `payment` is what the request created. If it's false, the request created
 * no payment, and the service changes the session's `payment_round`, so it refuses the request if it still arrives. Other
 * pages of the same session then get `card_message_stale`.
 *
 * If the session's total is 0 and it saves no card, the customer pays nothing and enters no card. The same press
 * completes the session with `complete`, which is refused as a payment would be: with `session_changed`,
 * `card_message_stale` for an earlier round, `session_closed` or `session_payment_in_progress`. Repeating it is safe.
 * After a lost response, the page opens the session with any new UUID as `lost_request`. As `complete` creates no
 * payment, `received` is false even if it arrived. The session's `status` then says so: `complete`. If it's still
 * `open`, the request is refused when it arrives. If the session saves the card, `/frame/payments` verifies it instead
 * of charging it.
 *
 * A payment is one attempt by the customer, with the ID of its decision. It only moves forward:
 *
 * ```
 * three_ds -> authenticating -> challenge | decoupled -> processing -> succeeded | declined | requires_confirmation
 *    ^   (any step may be skipped; `declined` is final, and the customer may start another)         |
 *    +--------------- the issuer requires authentication after all, once per payment ---------------+ (from processing)
 * ```
 */

import type { CardNetwork } from "./card-networks.ts";
import type { CustomerReason } from "./declines.ts";
import type { BrowserFields, ChallengeWindowSize } from "./threeds.ts";
import type { ChallengeOutcome } from "./windows.ts";

/** Everything the page needs to show the form and encrypt a card. */
export interface FrameSession {
  /** Bearer token for the other requests. Kept in memory until the page unloads, never stored. */
  token: string;
  session: {
    id: string;
    livemode: boolean;
    /** `setup` saves a card without a payment, so `amount` is null. */
    mode: "payment" | "setup";
    status: "open" | "complete" | "expired" | "canceled";
    payment_status: "unpaid" | "processing" | "authorized" | "paid" | "no_payment_required" | "none";
    /** 0 if no payment is required. */
    amount: number | null;
    currency: string | null;
    /**
     * In mode `payment`: whether the card is saved for later charges, also with a total of 0. The form tells the
     * customer.
     */
    save_payment_method: boolean;
    /** `merchant`: the host page may call `submit` and hide the form's own Pay button. */
    submit_button: "built-in" | "merchant";
    merchant_name: string;
    description: string | null;
    /** The merchant's line items, possibly none. `amount` is the unit price. */
    line_items: { name: string; amount: number; quantity: number }[];
    shipping_options: { id: string; name: string; amount: number }[];
    /** The ID of the chosen one. */
    shipping_option: string | null;
    /** Positive amounts that are subtracted. */
    discounts: { name: string; amount: number }[];
    /** In addition to the line items. */
    tax_amount: number | null;
    /** What the customer may enter. */
    collect: { promotion_code: boolean };
    /** Exact origins that may embed the iframe. The iframe closes a port from any other origin. */
    allowed_origins: string[];
    return_url: string | null;
    cancel_url: string | null;
    /** Unix seconds. */
    expires_at: number;
    attempts_left: number;
    /** Sent with each payment request. */
    payment_round: number;
    /** Increases whenever the amount or one of its parts changes. Sent with each payment request and change. */
    version: number;
  };
  encryption: CardEncryption;
  /**
   * Whether `lost_request` created a payment. If false, it no longer can, and the session's `status` says whether the
   * order was completed without one. Null without `lost_request`.
   */
  received: boolean | null;
  /**
   * If `received` is true, the payment that the request created. Otherwise the payment in progress or the one that
   * completed the session, so that a reload or a second tab can show it. Null if it was completed without a card.
   */
  payment: FramePayment | null;
  /** The service's clock in Unix milliseconds, because the customer's clock may be wrong. */
  now: number;
}

/**
 * How to encrypt a card for the vault: as a compact JWE with `ECDH-ES+A256KW` and `A256GCM` (RFC 7516, RFC 7518 4.6),
 * whose plaintext is a {@link CardMessage}.
 */
export interface CardEncryption {
  key: { kty: "EC"; crv: "P-256"; x: string; y: string; kid: string };
  /** Single use, valid for ten minutes in this session only. */
  nonce: string;
}

/** The plaintext of the JWE. `number` and `cvc` contain only digits. `cvc` is empty if the card has none. */
export interface CardMessage {
  number: string;
  /** 1 to 12 */
  exp_month: number;
  /** Four digits */
  exp_year: number;
  cvc: string;
  /** The network that the customer chose for a co-badged card. Absent for other cards. */
  network?: CardNetwork;
  session_id: string;
  nonce: string;
}

export interface FramePaymentRequest {
  /** JWE compact serialization, at most 8 kB. */
  card: string;
  browser: BrowserFields;
  /** The largest challenge window that fits. */
  challenge_window_size: ChallengeWindowSize;
  /** Absent if the form asks only for the card. */
  billing_details?: BillingDetails;
  /**
   * A new UUID for each request, later sent as `lost_request` if needed. Pages loaded before an upgrade don't send
   * this, `payment_round` or `version`.
   */
  request_id?: string;
  /** The latest value from the session. */
  payment_round?: number;
  /**
   * The version whose amount the customer saw. If the session has another one, nothing is created, and the error is
   * `session_changed`. If absent, 1.
   */
  version?: number;
  /** A random UUID that the page keeps in this browser after the first successful payment at this shop. */
  device?: string;
}

/**
 * What the page showed when the customer pressed the button. The response contains a payment that has succeeded, with
 * the session's ID, so that the page continues as after a payment.
 */
export interface FrameCompletionRequest {
  payment_round: number;
  version: number;
}

/** The customer chooses one of the session's shipping options, if there are at least two. */
export interface FrameShippingChoice {
  /** Its ID. */
  shipping_option: string;
  /**
   * The version that the form shows. If the session has another one, nothing is changed, and the error is
   * `session_changed`.
   */
  version: number;
}

/**
 * The customer enters a promotion code. The merchant's server receives an event with it, and may change the session.
 * The form doesn't learn the code from the service, and the host page doesn't learn it at all.
 */
export interface FramePromotionCode {
  /** 1 to 64 characters, without the spaces around them. */
  promotion_code: string;
  /** As in {@link FrameShippingChoice}. */
  version: number;
}

/** The same code again is the same entry while it's pending, for ten seconds. */
export interface FramePromotionCodeEntry {
  /** Numbers the session's codes, from 1. */
  entry: number;
}

/**
 * What the merchant replied to the latest code, which may come from another tab: only the reply to the page's own
 * `entry` is for its customer. After `accepted`, open the session again. 404 if none has been entered.
 */
export interface FrameUpdateRequest extends FramePromotionCodeEntry {
  status: "pending" | "accepted" | "rejected";
  /** Null unless it's rejected. */
  reason: "invalid" | "expired" | "not_applicable" | null;
}

/** The customer's details, entered in the form or provided by the merchant. Contains no card data. */
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
 * The response of `GET /frame/sessions/:session_id/why?origin=`, which takes no token. It explains why an iframe
 * doesn't respond. `listed` says whether that origin may embed the iframe. This reveals nothing new: anyone who knows
 * the session's ID can read it from `frame-ancestors`.
 */
export interface FrameWhy {
  session: "open" | "expired" | "invalid";
  listed: boolean;
}

export type FramePayment = { id: string } & (
  | {
      /** Load the runner, run the 3DS Method in it (if `method` isn't null), then call `authenticate`. */
      status: "three_ds";
      /** Path of the runner document. */
      runner: string;
      method: { url: string; data: string; /** Milliseconds */ timeout_ms: number } | null;
    }
  | {
      /** Waiting for the issuer, at the start or after a challenge. Poll. */ status: "authenticating";
    }
  | {
      /** The issuer authenticates the customer outside the browser, for example in its app. Poll. */
      status: "decoupled";
      /** A message from the issuer to the customer, shown as text. */
      cardholder_info: string | null;
      /** Unix seconds. The service then ends the authentication. */
      deadline: number;
    }
  | {
      /** Show the issuer's page in the runner by posting a form with `creq` to `acs_url`, once. */
      status: "challenge";
      runner: string;
      acs_url: string;
      creq: string;
      window_size: ChallengeWindowSize;
      /** Unix seconds. The service then ends the challenge. */
      deadline: number;
    }
  | { /** Waiting for the acquirer. Outcome unknown, so the customer must not pay again. */ status: "processing" }
  | { status: "succeeded" }
  | {
      /** With `confirmation: "server"`: the merchant's server creates the charge. */ status: "requires_confirmation";
      payment_method_id: string;
      decision_id: string;
    }
  | {
      status: "declined";
      reason: CustomerReason;
      /** A message from the issuer to the customer, shown as text. */
      cardholder_info: string | null;
      /**
       * How the challenge ended, if there was one. The charge can be declined even if the customer passed it.
       */
      challenge_outcome: ChallengeOutcome | null;
      /** Whether the customer can try again: the session is open and has attempts left. */
      retryable: boolean;
    }
);

export interface FrameResponse {
  payment: FramePayment;
  session: { status: FrameSession["session"]["status"]; attempts_left: number };
  encryption: CardEncryption;
}

/** The type of the messages between the checkout page, the runner and the landing pages. */
export const threeDSMessageType = "oriel:3ds";

/**
 * Messages within the checkout origin, sent with `postMessage` to exactly that origin and accepted only if both
 * `origin` and `source` match: checkout page -> runner (`method`, `challenge`), runner -> checkout page (`ready`,
 * `loaded`, `notified`), landing page -> runner (`notified`). None of them carries a result.
 */
export type ThreeDSMessage = { type: typeof threeDSMessageType } & (
  | { step: "ready" }
  | { step: "method"; url: string; data: string }
  | { step: "challenge"; url: string; creq: string; width: number | null; height: number | null }
  | { step: "loaded" }
  | { step: "notified"; phase: "method" | "challenge" }
);
