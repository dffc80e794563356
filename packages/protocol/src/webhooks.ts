/**
 * Who is told what happened: the shapes of event types, webhook endpoints and deliveries. Part of the public API's
 * shapes (`api.ts`, where the events are).
 *
 * An event is written in the transaction of the state it reports. A delivery is one event to one endpoint; it is
 * `pending` until it was taken (`succeeded`) or its tries are used up (`failed`), and redelivery makes it pending
 * again.
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

/** Every event type an endpoint can ask for. */
export const eventTypes = [
  ...chargeEventTypes,
  ...refundEventTypes,
  ...sessionEventTypes,
  ...endpointEventTypes,
] as const;

/** What an event can be: those, and `ping`, which goes to the endpoint that was pinged whatever it asked for. */
export const allEventTypes = [...eventTypes, "ping"] as const;
export type EventType = (typeof allEventTypes)[number];

const enabledEvents = (more: { description?: string } = {}) =>
  Type.Array(words(eventTypes), { minItems: 1, uniqueItems: true, ...more });
const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: "https; in test mode http too. No private address.",
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
    words(["enabled", "disabled"], { description: "`enabled` begins anew: what went wrong before is forgotten." }),
  ),
});
export type UpdateWebhookEndpoint = Static<typeof UpdateWebhookEndpoint>;

/** How long the signing secret that is replaced signs beside the new one. */
export const overlaps = ["now", "1h", "24h", "7d"] as const;
export type Overlap = (typeof overlaps)[number];

export const RotateSecret = closed({
  overlap: Type.Optional(
    words(overlaps, {
      description: "How long the old secret signs beside the new one. Default `24h`; `now`: not at all.",
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
  enabled_events: nullable(Type.Array(words(eventTypes), { description: "Null: every type." })),
  description: nullable(Type.String()),
  status: words(["enabled", "disabled"]),
  disabled_reason: nullable(
    words(["requested", "gone", "failing"], {
      description: "`requested` by you; `gone`: it answered 410; `failing`: nothing but failures for five days.",
    }),
  ),
  failing_since: nullable(
    Type.Integer({ description: "Unix time in seconds of the first failure since the last success." }),
  ),
  previous_secret_expires_at: nullable(
    Type.Integer({ description: "Until then, in unix seconds, the secret before this one signs as well." }),
  ),
};
export const WebhookEndpoint = closed(webhookEndpointProperties, {
  $id: "WebhookEndpoint",
  description: "An address of yours that events are sent to.",
});
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;

export const CreatedWebhookEndpoint = closed(
  {
    ...webhookEndpointProperties,
    secret: Type.String({ description: "The signing secret, `whsec_...`. Shown here only." }),
  },
  { $id: "CreatedWebhookEndpoint", description: "A webhook endpoint with its new signing secret." },
);
export type CreatedWebhookEndpoint = Static<typeof CreatedWebhookEndpoint>;

export const DeletedWebhookEndpoint = closed(
  { id: id("we"), object: Type.Literal("webhook_endpoint"), deleted: Type.Literal(true) },
  { $id: "DeletedWebhookEndpoint", description: "The endpoint is gone, and nothing is sent to it any more." },
);
export type DeletedWebhookEndpoint = Static<typeof DeletedWebhookEndpoint>;

// --- deliveries
// --------------------------------------------------------------------------------------------------------------------

export const deliveryStatuses = ["pending", "succeeded", "failed"] as const;

/** Why a try was none. `response_status`: it was answered, but not with 2xx. */
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
    status: words(deliveryStatuses, { description: "`failed`: it is not tried any more." }),
    tries: Type.Integer({ description: "How often it was tried since it was made, or redelivered." }),
    next_try_at: nullable(Type.Integer({ description: "Unix time in seconds. Null unless it is pending." })),
    last_try: nullable(
      closed({
        at: UnixSeconds,
        duration_ms: Type.Integer({ description: "From looking the name up to the end of the answer." }),
        response_status: nullable(Type.Integer({ description: "Null: there was no answer." })),
        response_body: nullable(Type.String({ description: "The first kilobyte of the answer." })),
        failure: nullable(words(deliveryFailures)),
      }),
    ),
  },
  { $id: "Delivery", description: "One event on its way to one endpoint." },
);
export type Delivery = Static<typeof Delivery>;

export const RedeliverEvent = closed({
  webhook_endpoint_id: Type.Optional(
    Type.String({
      description: "Default: every enabled endpoint that wants the type, and whoever walks `GET /events?after=`.",
    }),
  ),
});
export type RedeliverEvent = Static<typeof RedeliverEvent>;

export const RedeliverRange = closed({
  from: Type.Integer({
    minimum: 0,
    maximum: 99_999_999_999,
    description: "Unix time in seconds: events created then or later.",
  }),
  to: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 99_999_999_999,
      description: "Unix time in seconds: events created before. Default: now.",
    }),
  ),
  only_failed: Type.Optional(
    Type.Boolean({ description: "Only what the endpoint has not taken. Default true; false: what it has taken, too." }),
  ),
});
export type RedeliverRange = Static<typeof RedeliverRange>;

export const Redelivery = closed(
  { object: Type.Literal("redelivery"), deliveries: Type.Integer({ description: "How many are on their way." }) },
  { $id: "Redelivery", description: "What was asked to be sent again." },
);
export type Redelivery = Static<typeof Redelivery>;
