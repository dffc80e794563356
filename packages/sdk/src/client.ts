/**
 * The typed client of the API, with one function per endpoint (`endpoints/`).
 *
 * Every POST request has an `Idempotency-Key`: a random one unless you pass one. PATCH and DELETE requests don't need
 * one. Temporary failures are retried with the same key (`with-retries.ts`). Permanent failures throw an {@link
 * OrielError} subclass that contains the key.
 *
 * The client refuses redirects, which would send the secret key elsewhere, responses over 8 MB, and IDs that would
 * change the path. The secret key is kept in a closure, so it doesn't appear when you log the client or an error.
 */
import { type ClientOptions, readClientOptions } from "./client-options.ts";
import { charges, type Charges } from "./endpoints/charges.ts";
import { checkoutSessions, type CheckoutSessions } from "./endpoints/checkout-sessions.ts";
import { customers, type Customers } from "./endpoints/customers.ts";
import { decisions, type Decisions } from "./endpoints/decisions.ts";
import { disputes, type Disputes } from "./endpoints/disputes.ts";
import { events, type Events } from "./endpoints/events.ts";
import { ledgerEntries, type LedgerEntries } from "./endpoints/ledger-entries.ts";
import { paymentMethods, type PaymentMethods } from "./endpoints/payment-methods.ts";
import { refunds, type Refunds } from "./endpoints/refunds.ts";
import { webhookEndpoints, type WebhookEndpoints } from "./endpoints/webhook-endpoints.ts";
import { createSender } from "./send-request.ts";

export interface Oriel {
  readonly checkoutSessions: CheckoutSessions;
  readonly charges: Charges;
  readonly refunds: Refunds;
  readonly disputes: Disputes;
  readonly ledgerEntries: LedgerEntries;
  readonly decisions: Decisions;
  readonly customers: Customers;
  readonly paymentMethods: PaymentMethods;
  readonly events: Events;
  readonly webhookEndpoints: WebhookEndpoints;
}

/**
 * Creates a client for the account and mode of the secret key. Times are in milliseconds, see {@link ClientOptions}.
 *
 * In addition to the errors they document, all functions throw OrielAuthenticationError, OrielRateLimitError (429),
 * OrielApiError (5xx) and OrielConnectionError. They throw TypeError for an invalid ID, key or option, without sending
 * a request.
 *
 * @example
 * const oriel = createClient({ apiUrl: "https://api.pay.example.com", secretKey: process.env.ORIEL_SECRET_KEY! });
 * const { session, embed_url } = await oriel.checkoutSessions.create({ amount: 4900, currency: "eur" });
 * @throws TypeError for invalid options
 */
export function createClient(options: ClientOptions): Oriel {
  const sender = createSender(readClientOptions(options));
  return Object.freeze({
    checkoutSessions: checkoutSessions(sender),
    charges: charges(sender),
    refunds: refunds(sender),
    disputes: disputes(sender),
    ledgerEntries: ledgerEntries(sender),
    decisions: decisions(sender),
    customers: customers(sender),
    paymentMethods: paymentMethods(sender),
    events: events(sender),
    webhookEndpoints: webhookEndpoints(sender),
  });
}
