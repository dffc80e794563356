/**
 * Records events. An event is written in the same transaction as the change that it reports, with the object's current
 * state and a delivery to each subscribed endpoint. `object_sequence` counts the events of one object from 1 without
 * gaps. The counter's row is locked until the transaction ends, so the numbers follow the order of commits.
 *
 * The transaction's ID also determines the event's position in the event feed (`webhooks/event-feed.ts`), as described
 * in `platform/storage/schema/webhooks.ts`.
 */
import type { ChargeEventType, ChargeWithSession, CheckoutSession, Refund, WebhookEndpoint } from "@oriel/protocol/api";
import { sql } from "kysely";
import type { Cause } from "../../platform/cause.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import type { Tx } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { ownerColumns, type Tenant } from "../../platform/tenant.ts";
import { orderKey } from "./event-clock.ts";
import { endpointsFor, enqueue } from "./enqueue.ts";

export type Happening =
  | { type: ChargeEventType; object: ChargeWithSession }
  | { type: "refund.succeeded" | "refund.failed"; object: Refund }
  | { type: "checkout_session.completed" | "checkout_session.expired"; object: CheckoutSession }
  | { type: "webhook_endpoint.disabled" | "ping"; object: WebhookEndpoint };

/** The part of an event's row that is visible to merchants. */
export type EventContents = Pick<
  Row<"event">,
  "id" | "type" | "created_at" | "livemode" | "object_sequence" | "object" | "request_id" | "idempotency_key"
>;

type RecordedEvent = EventContents & Pick<Row<"event">, "object_id">;

/** Sends a `ping` to the endpoint that it's about, and any other event to the endpoints subscribed to its type. */
export async function recordEvent(
  { now }: Pick<PlatformContext, "now">,
  tx: Tx,
  tenant: Tenant,
  happening: Happening,
  cause: Cause,
): Promise<RecordedEvent> {
  const event = await insertEvent(tx, tenant, happening, cause, now());
  await enqueue(tx, tenant, [event.id], await endpointsFor(tx, tenant, event), now());
  return event;
}

async function insertEvent(
  tx: Tx,
  tenant: Tenant,
  { type, object }: Happening,
  cause: Cause,
  createdAt: Date,
): Promise<RecordedEvent> {
  const { last, last_order_key } = await tx
    .insertInto("event_sequence")
    .values({ ...ownerColumns(tenant), object_id: object.id, last: 1, last_order_key: orderKey })
    .onConflict((conflict) =>
      conflict.columns(["account_no", "livemode", "object_id"]).doUpdateSet({
        last: sql`event_sequence.last + 1`,
        last_order_key: sql`greatest(event_sequence.last_order_key, excluded.last_order_key)`,
      }),
    )
    .returning(["last", "last_order_key"])
    .executeTakeFirstOrThrow();
  const event = {
    id: newId("evt", createdAt, tenant),
    livemode: tenant.livemode,
    type,
    object_id: object.id,
    object_sequence: last,
    request_id: cause.requestId,
    idempotency_key: cause.idempotencyKey,
    created_at: createdAt,
  };
  const written = { ...event, ...ownerColumns(tenant), object: JSON.stringify(object), order_key: last_order_key };
  await tx.insertInto("event").values(written).execute();
  return { ...event, object: { ...object } };
}
