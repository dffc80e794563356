/**
 * A customer with a browser, over HTTP: opens a checkout session as the page does, and encrypts a card as the iframe
 * does. `at-the-bank.ts` has what the customer does on the bank's page.
 */
import { CompactEncrypt, importJWK, type JWK } from "jose";
import type { ApiResponse, Json, TestService } from "./test-service.ts";

/** The bank's cards by their result. */
export const cardNumbers = {
  approved: "4242424242424242",
  declined: "4000000000000002",
  insufficientFunds: "4000000000009995",
  stolen: "4000000000009979",
  frictionless: "4000000032200000",
  frictionlessWithoutMethod: "5200000000001005",
  challenge: "4000002760003184",
  /** Approved, but later operations on the payment fail. */
  captureDeclined: "4000000000007015",
  refundDeclined: "4000000000005126",
} as const;

/**
 * The CVC of every card here. Tests search for it, also reversed. No number in JSON begins with a zero, so they don't
 * find an amount or a duration instead.
 */
export const securityCode = "0170";

export interface Checkout {
  sessionId: string;
  clientSecret: string;
  token: string;
  /** The page's data from opening the session. */
  opened: Json;
  /** A card message with this card, for this session, with a new nonce unless `encryption` says otherwise. */
  encrypt(
    number: string,
    more?: { cvc?: string; encryption?: Json; claims?: object; header?: object },
  ): Promise<string>;
  /**
   * Sends a card message, or encrypts and sends the card with this number, for the version of the session that the page
   * shows. Adds the options and an ID for the request.
   */
  pay(
    card: string,
    billingDetails?: unknown,
    called?: { request_id?: string; payment_round?: unknown; version?: unknown; device?: string },
  ): Promise<ApiResponse>;
  /** Completes a session that needs no card, as the page does with what it shows. */
  complete(shown?: { payment_round?: unknown; version?: unknown }): Promise<ApiResponse>;
  /** Chooses a shipping option, for the version of the session that the page shows. */
  chooseShipping(id: unknown, version?: unknown): Promise<ApiResponse>;
  /** Enters a promotion code, for the version of the session that the page shows. */
  enterCode(code: unknown, version?: unknown): Promise<ApiResponse>;
  /** What the form reads about the reply to it. */
  updateRequest(): Promise<ApiResponse>;
  /** Opens the page again, with or without naming a request whose response was lost. */
  reopen(lostRequest?: string): Promise<ApiResponse>;
  payment(id: string): Promise<ApiResponse>;
  authenticate(id: string): Promise<ApiResponse>;
  cancel(id: string): Promise<ApiResponse>;
  /** The session as the merchant sees it. */
  session(): Promise<Json>;
}

/** What the page reports about its browser. */
export const browser = {
  browserJavaEnabled: false,
  browserJavascriptEnabled: true,
  browserLanguage: "en-GB",
  browserColorDepth: "24",
  browserScreenHeight: "900",
  browserScreenWidth: "1440",
  browserTZ: "-60",
} as const;

/** The part of the service and its bank that a customer can reach. */
export type Reached = Pick<TestService, "call" | "frame" | "bankUrl">;

/** Creates a session, and opens its page. */
export async function openCheckout(service: Pick<Reached, "call" | "frame">, order: object = {}): Promise<Checkout> {
  const created = await service.call("POST", "/api/v1/checkout_sessions", { amount: 4900, currency: "eur", ...order });
  if (created.status !== 200) throw new Error(`The session could not be created: ${created.text}`);
  const address = new URL(String(created.body["embed_url"]));
  const sessionId = address.pathname.slice("/c/".length);
  const clientSecret = address.hash.slice(1);
  const opened = await service.frame("POST", `/frame/sessions/${sessionId}/open`, { client_secret: clientSecret });
  if (opened.status !== 200) throw new Error(`The page could not be opened: ${opened.text}`);
  const token = String(opened.body["token"]);
  let latest = opened.body["encryption"];
  let { payment_round, version } = opened.body["session"] ?? {};

  async function send(method: "GET" | "POST", path: string, body?: unknown): Promise<ApiResponse> {
    const response = await service.frame(method, path, body, token);
    latest = response.body["encryption"] ?? latest;
    return response;
  }

  const checkout: Checkout = {
    sessionId,
    clientSecret,
    token,
    opened: opened.body,
    async encrypt(number, { cvc = securityCode, encryption = latest, claims = {}, header = {} } = {}) {
      const { key, nonce } = encryption as unknown as { key: JWK; nonce: string }; // according to the contract
      const message = { number, exp_month: 12, exp_year: 2040, cvc, session_id: sessionId, nonce, ...claims };
      return await new CompactEncrypt(Buffer.from(JSON.stringify(message)))
        .setProtectedHeader({ alg: "ECDH-ES+A256KW", enc: "A256GCM", kid: key.kid ?? "", ...header })
        .encrypt(await importJWK(key, "ECDH-ES+A256KW"));
    },
    async pay(card, billing_details, called = {}) {
      const message = /^\d+$/.test(card) ? await checkout.encrypt(card) : card;
      const request = { card: message, browser, challenge_window_size: "03", billing_details, version, ...called };
      return await send("POST", "/frame/payments", request);
    },
    chooseShipping: (shipping_option, shown = version) =>
      send("POST", `/frame/sessions/${sessionId}/shipping_option`, { shipping_option, version: shown }),
    enterCode: (promotion_code, shown = version) =>
      send("POST", `/frame/sessions/${sessionId}/promotion_code`, { promotion_code, version: shown }),
    updateRequest: () => send("GET", `/frame/sessions/${sessionId}/update_request`),
    async reopen(lost_request) {
      const path = `/frame/sessions/${sessionId}/open`;
      const again = await send("POST", path, { client_secret: clientSecret, lost_request });
      ({ payment_round, version } = again.body["session"] ?? {});
      return again;
    },
    complete: (shown = {}) =>
      send("POST", `/frame/sessions/${sessionId}/complete`, { payment_round, version, ...shown }),
    payment: (id) => send("GET", `/frame/payments/${id}`),
    authenticate: (id) => send("POST", `/frame/payments/${id}/authenticate`, {}),
    cancel: (id) => send("POST", `/frame/payments/${id}/cancel`, {}),
    session: async () => (await service.call("GET", `/api/v1/checkout_sessions/${sessionId}`)).body,
  };
  return checkout;
}

/** Starts a payment with a card that is enrolled in 3-D Secure, up to the issuer's response. Skips the 3DS Method. */
export async function payAndAuthenticate(checkout: Checkout, card: string): Promise<{ id: string; payment: Json }> {
  const id = String((await checkout.pay(card)).body["payment"]?.["id"]);
  return { id, payment: (await checkout.authenticate(id)).body["payment"] ?? {} };
}

/** Starts a payment that the issuer challenges, up to its challenge. */
export async function payUpToChallenge(
  checkout: Checkout,
  card: string = cardNumbers.challenge,
): Promise<{ id: string; payment: Json }> {
  const { id, payment } = await payAndAuthenticate(checkout, card);
  if (String(payment["status"]) !== "challenge") throw new Error("The issuer requires no challenge");
  return { id, payment };
}
