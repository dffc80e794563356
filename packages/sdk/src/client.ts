/**
 * The typed client of the API: one function per endpoint, grouped by noun (`endpoints/`), over one function that sends
 * (`send-request.ts`).
 *
 * Every POST carries an `Idempotency-Key`, a fresh random one unless the caller gives his own; PATCH and DELETE need
 * none. What fails on the way is sent again under the same key (`with-retries.ts`); what fails for good throws an
 * {@link OrielError} of its type, with that key.
 *
 * It trusts the service at `apiUrl` for what an answer means, and refuses redirects (they would carry the secret key
 * elsewhere), answers over 8 MB, and ids that would change the path. The secret key is held in a closure: neither
 * logging the client nor an error shows it.
 */
import { type ClientOptions, readClientOptions } from "./client-options.ts";
import { charges, type Charges } from "./endpoints/charges.ts";
import { checkoutSessions, type CheckoutSessions } from "./endpoints/checkout-sessions.ts";
import { decisions, type Decisions } from "./endpoints/decisions.ts";
import { events, type Events } from "./endpoints/events.ts";
import { paymentMethods, type PaymentMethods } from "./endpoints/payment-methods.ts";
import { refunds, type Refunds } from "./endpoints/refunds.ts";
import { webhookEndpoints, type WebhookEndpoints } from "./endpoints/webhook-endpoints.ts";
import { createSender } from "./send-request.ts";

export interface Oriel {
  readonly checkoutSessions: CheckoutSessions;
  readonly charges: Charges;
  readonly refunds: Refunds;
  readonly decisions: Decisions;
  readonly paymentMethods: PaymentMethods;
  readonly events: Events;
  readonly webhookEndpoints: WebhookEndpoints;
}

/**
 * A client for one account and mode, which the key tells. Times are in milliseconds, see {@link ClientOptions}.
 *
 * Beside the errors that its functions name, each of them throws OrielAuthenticationError, OrielRateLimitError (429),
 * OrielApiError (5xx) and OrielConnectionError, and TypeError for an id, a key or an option that cannot work; then
 * nothing was sent.
 *
 * @example
 * const oriel = createClient({ apiUrl: "https://api.pay.example.com", secretKey: process.env.ORIEL_SECRET_KEY! });
 * const { session, embed_url } = await oriel.checkoutSessions.create({ amount: 4900, currency: "eur" });
 * @throws TypeError for options that cannot work
 */
export function createClient(options: ClientOptions): Oriel {
  const sender = createSender(readClientOptions(options));
  return Object.freeze({
    checkoutSessions: checkoutSessions(sender),
    charges: charges(sender),
    refunds: refunds(sender),
    decisions: decisions(sender),
    paymentMethods: paymentMethods(sender),
    events: events(sender),
    webhookEndpoints: webhookEndpoints(sender),
  });
}
