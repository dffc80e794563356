/**
 * The typed client of the API: one function per endpoint, grouped by noun, over one function that sends.
 *
 * Every POST carries an `Idempotency-Key`, a fresh random one unless the caller gives his own. Nothing is retried: a call that fails
 * throws an {@link OrielError} with the key it was sent with, and the caller who knows his business sends it again under that key.
 *
 * It trusts the service at `apiUrl` for what an answer means, and refuses redirects (they would carry the key elsewhere), answers over
 * 8 MB, and ids that would change the path. The secret key is held in a closure: neither logging the client nor an error shows it.
 */
import type {
  Charge,
  CheckoutSession,
  CreateCharge,
  CreateCheckoutSession,
  CreateDecision,
  CreateWebhookEndpoint,
  CreatedCheckoutSession,
  CreatedWebhookEndpoint,
  Decision,
  Event,
  EventType,
  List,
  WebhookEndpoint,
} from "@oriel/protocol/api";
import { createSender } from "./send-request.ts";

export interface ClientOptions {
  /** Where the API is, without a path: `https://api.pay.example.com`. */
  apiUrl: string;
  /** `oriel_sk_test_...` or `oriel_sk_live_...`. For servers only. */
  secretKey: string;
  /** Default: the global one. */
  fetch?: typeof fetch;
  /** How long one call may take, in milliseconds, 1 to 600 000. Default 30 000: a charge waits for the bank up to 10 s. */
  timeoutMs?: number;
}

export interface RequestOptions {
  /** Gives up waiting. The call may have had its effect all the same. */
  signal?: AbortSignal;
}

export interface CreateOptions extends RequestOptions {
  /** 1 to 255 visible ASCII characters. The same key never does the work twice. Default: a random one per call. */
  idempotencyKey?: string;
}

export interface ListParams {
  /** 1 to 100. Default 10. */
  limit?: number;
  /** The last id of the page before. */
  starting_after?: string;
  /** The first id of the page after. */
  ending_before?: string;
}

export interface Oriel {
  readonly checkoutSessions: {
    /** The answer's `embed_url` is given here only; hand it to the loader or send the customer there. */
    create(params: CreateCheckoutSession, options?: CreateOptions): Promise<CreatedCheckoutSession>;
    retrieve(id: string, options?: RequestOptions): Promise<CheckoutSession>;
    list(params?: ListParams, options?: RequestOptions): Promise<List<CheckoutSession>>;
  };
  readonly charges: {
    /** With `confirmation: "server"`: charges the payment method that the decision was made for. */
    create(params: CreateCharge, options?: CreateOptions): Promise<Charge>;
    retrieve(id: string, options?: RequestOptions): Promise<Charge>;
    list(params?: ListParams & { decision_id?: string; session_id?: string }, options?: RequestOptions): Promise<List<Charge>>;
  };
  readonly decisions: {
    create(params: CreateDecision, options?: CreateOptions): Promise<Decision>;
    retrieve(id: string, options?: RequestOptions): Promise<Decision>;
  };
  readonly events: {
    retrieve(id: string, options?: RequestOptions): Promise<Event>;
    list(params?: ListParams & { type?: EventType }, options?: RequestOptions): Promise<List<Event>>;
  };
  readonly webhookEndpoints: {
    /** The answer's `secret` is given here only; keep it for `webhooks.verify`. */
    create(params: CreateWebhookEndpoint, options?: CreateOptions): Promise<CreatedWebhookEndpoint>;
    retrieve(id: string, options?: RequestOptions): Promise<WebhookEndpoint>;
    list(params?: ListParams, options?: RequestOptions): Promise<List<WebhookEndpoint>>;
  };
}

/**
 * A client for one account.
 *
 * @example const { session, embed_url } = await oriel.checkoutSessions.create({ amount: 4900, currency: "eur" });
 * @throws TypeError for options that cannot work. Its calls throw {@link OrielError}, or TypeError for an id that is none.
 */
export function createClient(options: ClientOptions): Oriel {
  const { get, post } = createSender(options);
  return Object.freeze({
    checkoutSessions: Object.freeze({
      create: (params: CreateCheckoutSession, more?: CreateOptions) =>
        post<CreatedCheckoutSession>("checkout_sessions", params, more),
      retrieve: (id: string, more?: RequestOptions) => get<CheckoutSession>(["checkout_sessions", id], {}, more),
      list: (params = {}, more?: RequestOptions) => get<List<CheckoutSession>>(["checkout_sessions"], params, more),
    }),
    charges: Object.freeze({
      create: (params: CreateCharge, more?: CreateOptions) => post<Charge>("charges", params, more),
      retrieve: (id: string, more?: RequestOptions) => get<Charge>(["charges", id], {}, more),
      list: (params = {}, more?: RequestOptions) => get<List<Charge>>(["charges"], params, more),
    }),
    decisions: Object.freeze({
      create: (params: CreateDecision, more?: CreateOptions) => post<Decision>("decisions", params, more),
      retrieve: (id: string, more?: RequestOptions) => get<Decision>(["decisions", id], {}, more),
    }),
    events: Object.freeze({
      retrieve: (id: string, more?: RequestOptions) => get<Event>(["events", id], {}, more),
      list: (params = {}, more?: RequestOptions) => get<List<Event>>(["events"], params, more),
    }),
    webhookEndpoints: Object.freeze({
      create: (params: CreateWebhookEndpoint, more?: CreateOptions) =>
        post<CreatedWebhookEndpoint>("webhook_endpoints", params, more),
      retrieve: (id: string, more?: RequestOptions) => get<WebhookEndpoint>(["webhook_endpoints", id], {}, more),
      list: (params = {}, more?: RequestOptions) => get<List<WebhookEndpoint>>(["webhook_endpoints"], params, more),
    }),
  });
}
