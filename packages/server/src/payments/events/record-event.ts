/**
 * Records events. An event is written in the same transaction as the change that it reports, with the object's current
 * state and a delivery to each subscribed endpoint. `object_sequence` counts the events of one object from 1 without
 * gaps. The counter's row is locked until the transaction ends, so the numbers follow the order of commits. The event
 * is also queued for the event feed (`webhooks/event-feed.ts`).
 */
import type { ChargeEventType, ChargeWithSession, CheckoutSession, Refund, WebhookEndpoint } from "@oriel/protocol/api";
import { sql } from "kysely";
import type { Cause } from "../../platform/cause.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import type { Tx } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { ownerColumns, type Tenant } from "../../platform/tenant.ts";
import { endpointsFor, enqueue } from "./enqueue.ts";
import { queueForFeed } from "./feed-queue.ts";

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
  const { last } = await tx
    .insertInto("event_sequence")
    .values({ ...ownerColumns(tenant), object_id: object.id, last: 1 })
    .onConflict((conflict) =>
      conflict.columns(["account_no", "livemode", "object_id"]).doUpdateSet({ last: sql`event_sequence.last + 1` }),
    )
    .returning("last")
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
  const written = { ...event, ...ownerColumns(tenant), object: JSON.stringify(object) };
  await tx.insertInto("event").values(written).execute();
  await queueForFeed(tx, tenant, event.id);
  return { ...event, object: { ...object } };
}
