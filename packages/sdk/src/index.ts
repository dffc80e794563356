/**
 * What a merchant's server imports: a typed client for the API, and the verification of webhooks. Node only.
 *
 * ```ts
 * const oriel = createClient({ apiUrl: "https://api.pay.example.com", secretKey: process.env.ORIEL_SECRET_KEY });
 * const { session, embed_url } = await oriel.checkoutSessions.create({ amount: 4900, currency: "eur" });
 * const event = webhooks.verify(rawBody, request.headers, process.env.ORIEL_WEBHOOK_SECRET);
 * ```
 */
export { createClient } from "./client.ts";
export type { ClientOptions, CreateOptions, ListParams, Oriel, RequestOptions } from "./client.ts";
export { OrielError } from "./oriel-error.ts";
export type { ConnectionErrorCode, OrielErrorDetails } from "./oriel-error.ts";
export { webhooks } from "./verify-webhook.ts";
export type { VerifyOptions } from "./verify-webhook.ts";
export { WebhookVerificationError } from "./webhook-verification-error.ts";
export type { WebhookErrorCode } from "./webhook-verification-error.ts";
export type { WebhookHeaders } from "./webhook-headers.ts";
export type {
  Charge,
  ChargeWithSession,
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
export type { DeclineCode, ErrorCode, ErrorType } from "@oriel/protocol/errors";
