/** Events, and the event feed. */
import Type, { type Static } from "typebox";
import { closed, id, nullable, UnixSeconds, words } from "../shapes.ts";
import type { AttentionItem } from "./attention-items.ts";
import type { CardTestingReport } from "./card-testing-reports.ts";
import type { Charge } from "./charges.ts";
import type { CheckoutSession } from "./checkout-sessions.ts";
import type { DeletedCustomer } from "./customers.ts";
import type { Dispute } from "./disputes.ts";
import type { PaymentMethodSnapshot } from "./payment-methods.ts";
import type { Refund } from "./refunds.ts";
import {
  allEventTypes,
  type ChargeEventType,
  type DisputeEventType,
  type EndpointEventType,
  type PaymentMethodEventType,
  type RefundEventType,
  type SessionEventType,
  type WebhookEndpoint,
} from "./webhooks.ts";

export const Event = closed(
  {
    id: id("evt"),
    object: Type.Literal("event"),
    type: words(allEventTypes),
    created: UnixSeconds,
    api_version: Type.String({ description: "The API version used to render `data.object`." }),
    livemode: Type.Boolean(),
    object_sequence: Type.Integer({
      description:
        "The event's position among the events of the same object (`data.object.id`), starting at 1 without gaps. Ignore events with a lower number than the last one you processed.",
    }),
    data: closed({
      object: Type.Record(Type.String(), Type.Unknown(), {
        description: "The object as it was when the event occurred.",
      }),
    }),
    request: closed(
      { id: nullable(Type.String()), idempotency_key: nullable(Type.String()) },
      {
        description:
          "The API request that caused the event. Its fields are null if the customer or a timeout caused the event.",
      },
    ),
  },
  { $id: "Event", description: "A record of a change to an object, sent as the body of a webhook." },
);

/** A charge as it appears in events, with its session. */
export interface ChargeWithSession extends Charge {
  session: Pick<CheckoutSession, "id" | "status" | "payment_status" | "attempts_left" | "metadata"> | null;
}

/**
 * An event whose `type` determines the type of its object: `if (event.type === "payment.succeeded")
 * event.data.object.amount`.
 */
export type Event = Omit<Static<typeof Event>, "type" | "data"> &
  (
    | { type: ChargeEventType; data: { object: ChargeWithSession } }
    | { type: RefundEventType; data: { object: Refund } }
    | { type: DisputeEventType; data: { object: Dispute } }
    | { type: SessionEventType; data: { object: CheckoutSession } }
    | { type: PaymentMethodEventType; data: { object: PaymentMethodSnapshot } }
    | { type: "customer.deleted"; data: { object: DeletedCustomer } }
    | { type: "account.card_testing"; data: { object: CardTestingReport } }
    | { type: "account.needs_attention"; data: { object: AttentionItem } }
    | { type: EndpointEventType; data: { object: WebhookEndpoint } }
  );

/**
 * A page of the event feed, oldest first: `{ object: "list", data, has_more, cursor }`. Pass `after: cursor` to get the
 * next page, even if `data` is empty. An event that commits later never appears before a cursor you already have.
 */
export interface EventWalk {
  object: "list";
  data: Event[];
  has_more: boolean;
  cursor: string;
}
