/**
 * The SDK for a merchant's server: a typed API client and webhook verification. For Node only. Webhook handlers for
 * frameworks are in `@oriel/sdk/express`, `/fastify`, `/hono` and `/next`.
 *
 * ```ts
 * const oriel = createClient({ apiUrl: "https://api.pay.example.com", secretKey: process.env.ORIEL_SECRET_KEY! });
 * const { session, embed_url } = await oriel.checkoutSessions.create({ amount: 4900, currency: "eur" });
 * const event = webhooks.verify(rawBody, request.headers, process.env.ORIEL_WEBHOOK_SECRET!);
 * ```
 */
export { createClient } from "./client.ts";
export type { Oriel } from "./client.ts";
export type {
  ClientOptions,
  Clock,
  KeyedWriteOptions,
  ListParams,
  RequestOptions,
  WriteOptions,
} from "./client-options.ts";
export type { ListAllParams } from "./list-all.ts";
export type { ChargeListParams, Charges } from "./endpoints/charges.ts";
export type { CheckoutSessions, CreateCheckoutSession } from "./endpoints/checkout-sessions.ts";
export type { CustomerListParams, Customers } from "./endpoints/customers.ts";
export type { Decisions } from "./endpoints/decisions.ts";
export type { DisputeListParams, Disputes } from "./endpoints/disputes.ts";
export type { EventListParams, Events } from "./endpoints/events.ts";
export type { LedgerEntries } from "./endpoints/ledger-entries.ts";
export type { PaymentMethods } from "./endpoints/payment-methods.ts";
export type { RefundListParams, Refunds } from "./endpoints/refunds.ts";
export type { DeliveryListParams, WebhookEndpoints } from "./endpoints/webhook-endpoints.ts";
export { isNewer } from "./is-newer.ts";
export {
  OrielApiError,
  OrielAuthenticationError,
  OrielCardError,
  OrielConnectionError,
  OrielError,
  OrielIdempotencyError,
  OrielInvalidRequestError,
  OrielRateLimitError,
} from "./oriel-error.ts";
export type { ConnectionErrorCode, ErrorCodeOf, OrielErrorDetails } from "./oriel-error.ts";
export type { EventWalkAllParams, EventWalkParams } from "./walk-all.ts";
export { webhooks } from "./verify-webhook.ts";
export type { VerifyOptions } from "./verify-webhook.ts";
export type { WebhookHandlerOptions } from "./receive-webhook.ts";
export { WebhookReceiverError } from "./webhook-receiver-error.ts";
export type { WebhookReceiverErrorCode } from "./webhook-receiver-error.ts";
export { WebhookVerificationError } from "./webhook-verification-error.ts";
export type { WebhookErrorCode } from "./webhook-verification-error.ts";
export type { WebhookHeaders } from "./webhook-headers.ts";
export type {
  AttachPaymentMethod,
  AttentionItem,
  AttentionKind,
  CardTestingReport,
  CaptureCharge,
  Charge,
  ChargeWithSession,
  CheckoutSession,
  CreateCharge,
  CreateCustomer,
  CreateDecision,
  CreateRefund,
  CreateWebhookEndpoint,
  CreatedCheckoutSession,
  CreatedWebhookEndpoint,
  Customer,
  Decision,
  DeletedCustomer,
  DeletedWebhookEndpoint,
  Delivery,
  DeliveryFailure,
  Dispute,
  Event,
  EventType,
  EventWalk,
  LedgerEntry,
  LineItem,
  List,
  Overlap,
  PaymentMethod,
  PaymentMethodSnapshot,
  RedeliverEvent,
  RedeliverRange,
  Redelivery,
  Refund,
  RotateSecret,
  UpdateCheckoutSession,
  UpdateCustomer,
  UpdatePaymentMethod,
  UpdateWebhookEndpoint,
  WebhookEndpoint,
} from "@oriel/protocol/api";
export type { DeclineAdvice, DeclineCode } from "@oriel/protocol/declines";
export type { ErrorCode, ErrorType } from "@oriel/protocol/errors";
