/**
 * A customer with a browser, played over HTTP: opens a checkout session as the page does, and encrypts a card as the
 * frame does. What the customer does at the bank's page is in `at-the-bank.ts`.
 */
import { CompactEncrypt, importJWK, type JWK } from "jose";
import type { Answer, Json, TestService } from "./test-service.ts";

/** The bank's cards by what comes of them. */
export const cardNumbers = {
  approved: "4242424242424242",
  declined: "4000000000000002",
  insufficientFunds: "4000000000009995",
  stolen: "4000000000009979",
  frictionless: "4000000032200000",
  frictionlessWithoutMethod: "5200000000001005",
  challenge: "4000002760003184",
  /** Approved; what is done with it afterwards is not. */
  captureDeclined: "4000000000007015",
  refundDeclined: "4000000000005126",
} as const;

/** Of every card here. Four digits, so that finding it anywhere is no accident. */
export const securityCode = "9173";

export interface Checkout {
  sessionId: string;
  clientSecret: string;
  token: string;
  /** What the page was given when it opened. */
  opened: Json;
  /** A card message: of this card, for this session, with a fresh nonce unless `encryption` says otherwise. */
  encrypt(
    number: string,
    more?: { cvc?: string; encryption?: Json; claims?: object; header?: object },
  ): Promise<string>;
  /**
   * Sends a card message, or encrypts and sends a card by its number, with what was asked for beside it and what the
   * request is called.
   */
  pay(
    card: string,
    billingDetails?: unknown,
    called?: { request_id?: string; payment_round?: unknown },
  ): Promise<Answer>;
  /** Opens the page again, after this request's answer was lost or without one. */
  reopen(lostRequest?: string): Promise<Answer>;
  payment(id: string): Promise<Answer>;
  authenticate(id: string): Promise<Answer>;
  cancel(id: string): Promise<Answer>;
  /** The session as the merchant sees it. */
  session(): Promise<Json>;
}

/** What the page tells of the browser it is in. */
export const browser = {
  browserJavaEnabled: false,
  browserJavascriptEnabled: true,
  browserLanguage: "en-GB",
  browserColorDepth: "24",
  browserScreenHeight: "900",
  browserScreenWidth: "1440",
  browserTZ: "-60",
};

/** As much of the service, and of its bank, as a customer gets to see. */
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

  async function send(method: "GET" | "POST", path: string, body?: unknown): Promise<Answer> {
    const answer = await service.frame(method, path, body, token);
    latest = answer.body["encryption"] ?? latest;
    return answer;
  }

  const checkout: Checkout = {
    sessionId,
    clientSecret,
    token,
    opened: opened.body,
    async encrypt(number, { cvc = securityCode, encryption = latest, claims = {}, header = {} } = {}) {
      const { key, nonce } = encryption as unknown as { key: JWK; nonce: string }; // as the contract has it
      const message = { number, exp_month: 12, exp_year: 2040, cvc, session_id: sessionId, nonce, ...claims };
      return await new CompactEncrypt(Buffer.from(JSON.stringify(message)))
        .setProtectedHeader({ alg: "ECDH-ES+A256KW", enc: "A256GCM", kid: key.kid ?? "", ...header })
        .encrypt(await importJWK(key, "ECDH-ES+A256KW"));
    },
    async pay(card, billing_details, called = {}) {
      const message = /^\d+$/.test(card) ? await checkout.encrypt(card) : card;
      const request = { card: message, browser, challenge_window_size: "03", billing_details, ...called };
      return await send("POST", "/frame/payments", request);
    },
    reopen: (lost_request) =>
      send("POST", `/frame/sessions/${sessionId}/open`, { client_secret: clientSecret, lost_request }),
    payment: (id) => send("GET", `/frame/payments/${id}`),
    authenticate: (id) => send("POST", `/frame/payments/${id}/authenticate`, {}),
    cancel: (id) => send("POST", `/frame/payments/${id}/cancel`, {}),
    session: async () => (await service.call("GET", `/api/v1/checkout_sessions/${sessionId}`)).body,
  };
  return checkout;
}

/** A payment by a card that takes part in 3-D Secure, up to what its bank answers. The 3DS Method does not run. */
export async function payAndAuthenticate(checkout: Checkout, card: string): Promise<{ id: string; payment: Json }> {
  const id = String((await checkout.pay(card)).body["payment"]?.["id"]);
  return { id, payment: (await checkout.authenticate(id)).body["payment"] ?? {} };
}

/** A payment that the bank wants to challenge, up to its challenge. */
export async function payUpToChallenge(
  checkout: Checkout,
  card: string = cardNumbers.challenge,
): Promise<{ id: string; payment: Json }> {
  const { id, payment } = await payAndAuthenticate(checkout, card);
  if (String(payment["status"]) !== "challenge") throw new Error("The bank wants no challenge");
  return { id, payment };
}
