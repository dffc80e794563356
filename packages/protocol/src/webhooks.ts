/**
 * Schemas of event types, webhook endpoints and deliveries. They are part of the public API; the event itself is in
 * `api.ts`.
 *
 * An event is written in the same transaction as the change it reports. A delivery sends one event to one endpoint. It
 * is `pending` until the endpoint accepts it (`succeeded`) or the retries are used up (`failed`). Redelivering makes it
 * pending again.
 */
import Type, { type Static } from "typebox";
import { closed, id, nullable, UnixSeconds, words } from "./shapes.ts";

// --- webhook endpoints
// -------------------------------------------------------------------------------------------------------------

/** A charge ends with one of `payment.succeeded`, `payment_failed` and `charge.canceled`. */
const chargeEventTypes = [
  "payment.succeeded",
  "payment_failed",
  "charge.authorized",
  "charge.canceled",
  "charge.capture_failed",
  "charge.cancel_failed",
] as const;
const refundEventTypes = ["refund.succeeded", "refund.failed"] as const;
/** `checkout_session.completed` is for sessions of mode `setup`, which have no charge. */
const sessionEventTypes = ["checkout_session.completed", "checkout_session.expired"] as const;
const endpointEventTypes = ["webhook_endpoint.disabled"] as const;

export type ChargeEventType = (typeof chargeEventTypes)[number];
export type RefundEventType = (typeof refundEventTypes)[number];
export type SessionEventType = (typeof sessionEventTypes)[number];
export type EndpointEventType = (typeof endpointEventTypes)[number] | "ping";

/** Every event type an endpoint can subscribe to. */
export const eventTypes = [
  ...chargeEventTypes,
  ...refundEventTypes,
  ...sessionEventTypes,
  ...endpointEventTypes,
] as const;

/** Every event type, including `ping`, which an endpoint receives regardless of its subscriptions. */
export const allEventTypes = [...eventTypes, "ping"] as const;
export type EventType = (typeof allEventTypes)[number];

const enabledEvents = (more: { description?: string } = {}) =>
  Type.Array(words(eventTypes), { minItems: 1, uniqueItems: true, ...more });
const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: "An https URL. Test mode allows http too. Private addresses aren't allowed.",
});
const Description = Type.String({ maxLength: 500 });

export const CreateWebhookEndpoint = closed({
  url: Url,
  enabled_events: Type.Optional(enabledEvents({ description: "Default: every type." })),
  description: Type.Optional(Description),
});
export type CreateWebhookEndpoint = Static<typeof CreateWebhookEndpoint>;

export const UpdateWebhookEndpoint = closed({
  url: Type.Optional(Url),
  enabled_events: Type.Optional(nullable(enabledEvents())),
  description: Type.Optional(nullable(Description)),
  status: Type.Optional(
    words(["enabled", "disabled"], { description: "Setting `enabled` also clears the endpoint's past failures." }),
  ),
});
export type UpdateWebhookEndpoint = Static<typeof UpdateWebhookEndpoint>;

/** How long webhooks are signed with both the old and the new secret. */
export const overlaps = ["now", "1h", "24h", "7d"] as const;
export type Overlap = (typeof overlaps)[number];

export const RotateSecret = closed({
  overlap: Type.Optional(
    words(overlaps, {
      description:
        "How long webhooks are signed with both secrets. Default `24h`. `now` drops the old secret immediately.",
    }),
  ),
});
export type RotateSecret = Static<typeof RotateSecret>;

const webhookEndpointProperties = {
  id: id("we"),
  object: Type.Literal("webhook_endpoint"),
  livemode: Type.Boolean(),
  created: UnixSeconds,
  url: Type.String(),
  enabled_events: nullable(Type.Array(words(eventTypes), { description: "Null means every type." })),
  description: nullable(Type.String()),
  status: words(["enabled", "disabled"]),
  disabled_reason: nullable(
    words(["requested", "gone", "failing"], {
      description:
        "`requested`: you disabled it. `gone`: it returned 410. `failing`: every delivery failed for five days.",
    }),
  ),
  failing_since: nullable(
    Type.Integer({ description: "Unix time in seconds of the first failure since the last success." }),
  ),
  previous_secret_expires_at: nullable(
    Type.Integer({ description: "Unix time in seconds until which the previous secret also signs." }),
  ),
};
export const WebhookEndpoint = closed(webhookEndpointProperties, {
  $id: "WebhookEndpoint",
  description: "A URL of yours that receives events.",
});
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;

export const CreatedWebhookEndpoint = closed(
  {
    ...webhookEndpointProperties,
    secret: Type.String({ description: "The signing secret, `whsec_...`. Returned only here." }),
  },
  { $id: "CreatedWebhookEndpoint", description: "A webhook endpoint with its new signing secret." },
);
export type CreatedWebhookEndpoint = Static<typeof CreatedWebhookEndpoint>;

export const DeletedWebhookEndpoint = closed(
  { id: id("we"), object: Type.Literal("webhook_endpoint"), deleted: Type.Literal(true) },
  { $id: "DeletedWebhookEndpoint", description: "A deleted endpoint, which receives no more events." },
);
export type DeletedWebhookEndpoint = Static<typeof DeletedWebhookEndpoint>;

// --- deliveries
// --------------------------------------------------------------------------------------------------------------------

export const deliveryStatuses = ["pending", "succeeded", "failed"] as const;

/** Why an attempt failed. `response_status`: the response wasn't 2xx. */
export const deliveryFailures = [
  "response_status",
  "timeout",
  "connection",
  "tls",
  "name_not_resolved",
  "address_not_allowed",
  "endpoint_disabled",
  "not_sent",
] as const;
export type DeliveryFailure = (typeof deliveryFailures)[number];

export const Delivery = closed(
  {
    id: id("del"),
    object: Type.Literal("delivery"),
    created: UnixSeconds,
    event_id: id("evt"),
    event_type: words(allEventTypes),
    webhook_endpoint_id: id("we"),
    status: words(deliveryStatuses, { description: "`failed`: no more retries." }),
    tries: Type.Integer({ description: "Attempts since it was created or redelivered." }),
    next_try_at: nullable(Type.Integer({ description: "Unix time in seconds. Null unless `status` is `pending`." })),
    last_try: nullable(
      closed({
        at: UnixSeconds,
        duration_ms: Type.Integer({ description: "From the DNS lookup to the end of the response." }),
        response_status: nullable(Type.Integer({ description: "Null if there was no response." })),
        response_body: nullable(Type.String({ description: "The first kilobyte of the response." })),
        failure: nullable(words(deliveryFailures)),
      }),
    ),
  },
  { $id: "Delivery", description: "The delivery of one event to one endpoint." },
);
export type Delivery = Static<typeof Delivery>;

export const RedeliverEvent = closed({
  webhook_endpoint_id: Type.Optional(
    Type.String({
      description: "Default: every enabled endpoint subscribed to the type, and the event feed (`GET /events?after=`).",
    }),
  ),
});
export type RedeliverEvent = Static<typeof RedeliverEvent>;

export const RedeliverRange = closed({
  from: Type.Integer({
    minimum: 0,
    maximum: 99_999_999_999,
    description: "Unix time in seconds. Includes events created at or after it.",
  }),
  to: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 99_999_999_999,
      description: "Unix time in seconds. Includes events created before it. Default: now.",
    }),
  ),
  only_failed: Type.Optional(
    Type.Boolean({ description: "Only events that the endpoint hasn't accepted. Default true." }),
  ),
});
export type RedeliverRange = Static<typeof RedeliverRange>;

export const Redelivery = closed(
  { object: Type.Literal("redelivery"), deliveries: Type.Integer({ description: "How many deliveries are pending." }) },
  { $id: "Redelivery", description: "A request to redeliver events." },
);
export type Redelivery = Static<typeof Redelivery>;
