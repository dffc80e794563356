/**
 * Schemas of event types, webhook endpoints and deliveries. They are part of the public API; the event itself is in
 * `events.ts`.
 *
 * An event is written in the same transaction as the change it reports. A delivery sends one event to one endpoint. It
 * is `pending` until the endpoint accepts it (`succeeded`) or the retries are used up (`failed`). Redelivering makes it
 * pending again.
 */
import Type, { type Static } from "typebox";
import { closed, id, nullable, UnixSeconds, words } from "../shapes.ts";

// --- webhook endpoints

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
const disputeEventTypes = ["dispute.created", "dispute.updated", "dispute.closed"] as const;
/** `checkout_session.completed` is for sessions without a charge: those of mode `setup`, and with a total of 0. */
const sessionEventTypes = [
  "checkout_session.completed",
  "checkout_session.expired",
  "checkout_session.update_requested",
] as const;
const paymentMethodEventTypes = [
  "payment_method.attached",
  "payment_method.updated",
  "payment_method.detached",
] as const;
const customerEventTypes = ["customer.deleted"] as const;
const accountEventTypes = ["account.card_testing", "account.needs_attention"] as const;
const endpointEventTypes = ["webhook_endpoint.disabled"] as const;

export type ChargeEventType = (typeof chargeEventTypes)[number];
export type RefundEventType = (typeof refundEventTypes)[number];
export type DisputeEventType = (typeof disputeEventTypes)[number];
export type SessionEventType = (typeof sessionEventTypes)[number];
export type PaymentMethodEventType = (typeof paymentMethodEventTypes)[number];
export type EndpointEventType = (typeof endpointEventTypes)[number] | "ping";

/** Every event type an endpoint can subscribe to. */
export const eventTypes = [
  ...chargeEventTypes,
  ...refundEventTypes,
  ...disputeEventTypes,
  ...sessionEventTypes,
  ...paymentMethodEventTypes,
  ...customerEventTypes,
  ...accountEventTypes,
  ...endpointEventTypes,
] as const;

type SubscribableEventType = (typeof eventTypes)[number];

/** Every event type, including `ping`, which an endpoint receives regardless of its subscriptions. */
export const allEventTypes = [...eventTypes, "ping"] as const;
export type EventType = (typeof allEventTypes)[number];

const enabledEvents = (more: { description?: string } = {}) =>
  Type.Array(words(eventTypes), { minItems: 1, uniqueItems: true, ...more });
const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: "An https URL with a public address. In test mode, http is also allowed.",
});
const Description = Type.String({ maxLength: 500 });

export const CreateWebhookEndpoint = closed({
  url: Url,
  enabled_events: Type.Optional(enabledEvents({ description: "The event types to send. Defaults to every type." })),
  description: Type.Optional(Description),
});
export type CreateWebhookEndpoint = Static<typeof CreateWebhookEndpoint>;

export const UpdateWebhookEndpoint = closed({
  url: Type.Optional(Url),
  enabled_events: Type.Optional(nullable(enabledEvents())),
  description: Type.Optional(nullable(Description)),
  status: Type.Optional(
    words(["enabled", "disabled"], {
      description: "Set the status to `enabled` to enable the endpoint and clear its past failures.",
    }),
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
        "How long webhooks are signed with both the old and the new secret. Defaults to `24h`. With `now`, the old secret stops working immediately.",
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
  // Not `nullable`, whose values are validated before they're sent: while a deployment is being updated, processes of the
  // previous version return endpoints that subscribe to new types, too.
  enabled_events: Type.Unsafe<SubscribableEventType[] | null>({
    type: ["array", "null"],
    items: words(eventTypes),
    description: "The event types to send. Null means every type.",
  }),
  description: nullable(Type.String()),
  status: words(["enabled", "disabled"]),
  disabled_reason: nullable(
    words(["requested", "gone", "failing"], {
      description:
        "Why the endpoint is disabled. `requested`: you disabled it. `gone`: it returned the status 410. `failing`: every delivery failed for five days.",
    }),
  ),
  failing_since: nullable(
    Type.Integer({
      description: "When the first delivery after the last successful one failed, as Unix time in seconds.",
    }),
  ),
  previous_secret_expires_at: nullable(
    Type.Integer({ description: "When webhooks stop being signed with the previous secret, as Unix time in seconds." }),
  ),
};
export const WebhookEndpoint = closed(webhookEndpointProperties, {
  $id: "WebhookEndpoint",
  description: "A URL on your server that receives events.",
});
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;

export const CreatedWebhookEndpoint = closed(
  {
    ...webhookEndpointProperties,
    secret: Type.String({
      description: "The signing secret, which starts with `whsec_`. It's returned only in this response.",
    }),
  },
  { $id: "CreatedWebhookEndpoint", description: "A webhook endpoint with its new signing secret." },
);
export type CreatedWebhookEndpoint = Static<typeof CreatedWebhookEndpoint>;

export const DeletedWebhookEndpoint = closed(
  { id: id("we"), object: Type.Literal("webhook_endpoint"), deleted: Type.Literal(true) },
  { $id: "DeletedWebhookEndpoint", description: "A deleted endpoint. It no longer receives events." },
);
export type DeletedWebhookEndpoint = Static<typeof DeletedWebhookEndpoint>;

// --- deliveries

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
    status: words(deliveryStatuses, { description: "`failed`: the delivery won't be retried." }),
    tries: Type.Integer({ description: "Number of attempts since the delivery was created or last redelivered." }),
    next_try_at: nullable(
      Type.Integer({
        description: "Time of the next attempt, as Unix time in seconds. Null unless `status` is `pending`.",
      }),
    ),
    last_try: nullable(
      closed({
        at: UnixSeconds,
        duration_ms: Type.Integer({
          description: "Time from the start of the DNS lookup to the end of the response, in milliseconds.",
        }),
        response_status: nullable(
          Type.Integer({ description: "The response's HTTP status. Null if there was no response." }),
        ),
        response_body: nullable(Type.String({ description: "The first kilobyte of the response body." })),
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
      description:
        "The ID of the endpoint to send the event to. By default, the event goes to every enabled endpoint that subscribes to its type, and it appears in the event feed again (`GET /events?after=`).",
    }),
  ),
});
export type RedeliverEvent = Static<typeof RedeliverEvent>;

export const RedeliverRange = closed({
  from: Type.Integer({
    minimum: 0,
    maximum: 99_999_999_999,
    description: "Start of the time range, as Unix time in seconds. Includes events created at or after this time.",
  }),
  to: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 99_999_999_999,
      description:
        "End of the time range, as Unix time in seconds. Includes events created before this time. Defaults to now.",
    }),
  ),
  only_failed: Type.Optional(
    Type.Boolean({ description: "Whether to send only events that the endpoint hasn't accepted. Defaults to `true`." }),
  ),
});
export type RedeliverRange = Static<typeof RedeliverRange>;

export const Redelivery = closed(
  {
    object: Type.Literal("redelivery"),
    deliveries: Type.Integer({ description: "Number of deliveries that were scheduled." }),
  },
  { $id: "Redelivery", description: "The result of a request to redeliver events." },
);
export type Redelivery = Static<typeof Redelivery>;
