/**
 * Records events. An event is written in the same transaction as the change that it reports, with the object's current
 * state and a delivery to each subscribed endpoint. `object_sequence` counts the events of one object from 1 without
 * gaps. The counter's row is locked until the transaction ends, so the numbers follow the order of commits. The event
 * is also queued for the event feed (`webhooks/event-feed.ts`).
 */
import type {
  AttentionItem,
  CardTestingReport,
  ChargeEventType,
  ChargeWithSession,
  CheckoutSession,
  Dispute,
  DisputeEventType,
  Refund,
  WebhookEndpoint,
} from "@oriel/protocol/api";
import type { Cause } from "../../platform/cause.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import { announceFrom } from "../../platform/storage/commit-hooks.ts";
import type { Db, Tx } from "../../platform/storage/database.ts";
import { statement } from "../../platform/storage/statement.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { ownerColumns, type Tenant } from "../../platform/tenant.ts";
import { deliveriesChannel, maxEndpoints } from "./enqueue.ts";

export type Happening =
  | { type: ChargeEventType; object: ChargeWithSession }
  | { type: "refund.succeeded" | "refund.failed"; object: Refund }
  | { type: DisputeEventType; object: Dispute }
  | { type: "checkout_session.completed" | "checkout_session.expired"; object: CheckoutSession }
  | { type: "account.card_testing"; object: CardTestingReport }
  | { type: "account.needs_attention"; object: AttentionItem }
  | { type: "webhook_endpoint.disabled" | "ping"; object: WebhookEndpoint };

/** The part of an event's row that is visible to merchants. */
export type EventContents = Pick<
  Row<"event">,
  "id" | "type" | "created_at" | "livemode" | "object_sequence" | "object" | "request_id" | "idempotency_key"
>;

type RecordedEvent = EventContents & Pick<Row<"event">, "object_id">;

/**
 * The parts of a {@link statement} that record the event of {@link eventValues}, if a part before them called `happened`
 * has a row. Its column `object_id` is the event's object. If it is null, the whole statement fails.
 *
 * The event is selected from the counter, so the position in the feed is drawn after the counter is locked.
 */
export const recordedEvent = /* sql */ `
  event_number as (
    insert into event_sequence (account_no, livemode, object_id, last)
    select :account_no::bigint, :livemode::boolean, object_id, 1 from happened
    on conflict (account_no, livemode, object_id) do update set last = event_sequence.last + 1
    returning object_id, last
  ),
  recorded as (
    insert into event (account_no, livemode, id, type, object_id, object_sequence, object, request_id, idempotency_key,
      created_at)
    select :account_no, :livemode, :event_id::text, :event_type::text, object_id, last, :object::json,
      :request_id::text, :idempotency_key::text, :now::timestamptz
    from event_number
    returning id, object_id
  ),
  queued as (
    insert into feed_queue (account_no, livemode, event_id) select :account_no, :livemode, id from recorded
  ),
  -- The endpoints subscribed to the event's type or, for a ping, the endpoint that it's about. Always in the same order,
  -- so that transactions lock their rows in the same order.
  receiver as (
    select id, row_number() over (order by id) as number from webhook_endpoint
    where account_no = :account_no and livemode = :livemode and status = 'enabled' and deleted_at is null
      and case when :event_type = 'ping' then id = (select object_id from happened)
        else enabled_events is null or :event_type = any (enabled_events) end
  ),
  delivered as (
    insert into delivery (account_no, livemode, endpoint_id, id, event_id, status, next_try_at, created_at)
    select :account_no, :livemode, receiver.id, (:delivery_ids::text[])[receiver.number], recorded.id, 'pending',
      :now, :now
    from recorded cross join receiver order by receiver.id
    returning id
  )`;

/** The values for {@link recordedEvent}. */
export function eventValues(tenant: Tenant, { type, object }: Happening, cause: Cause, now: Date) {
  return {
    ...ownerColumns(tenant),
    event_id: newId("evt", now, tenant),
    event_type: type,
    object: JSON.stringify(object),
    request_id: cause.requestId,
    idempotency_key: cause.idempotencyKey,
    delivery_ids: Array.from({ length: maxEndpoints }, () => newId("del", now, tenant)),
    now,
  };
}

/** Wakes the dispatchers once the event is committed. @param delivered how many deliveries were written */
export function announceEvent(db: Db, delivered: number): void {
  if (delivered > 0) announceFrom(db, deliveriesChannel);
}

interface Recorded {
  last: number;
  delivered: number;
}

const record = statement<Recorded>(/* sql */ `
  with happened as (select :object_id::text as object_id), ${recordedEvent}
  select last, (select count(*) from delivered) as delivered from event_number`);

/** Sends a `ping` to the endpoint that it's about, and any other event to the endpoints subscribed to its type. */
export async function recordEvent(
  { now }: Pick<PlatformContext, "now">,
  tx: Tx,
  tenant: Tenant,
  happening: Happening,
  cause: Cause,
): Promise<RecordedEvent> {
  const values = eventValues(tenant, happening, cause, now());
  const object_id = happening.object.id;
  const [recorded] = (await record(tx, { ...values, object_id })) as [Recorded]; // an upsert always returns its row
  announceEvent(tx, recorded.delivered);
  return {
    id: values.event_id,
    livemode: tenant.livemode,
    type: happening.type,
    object_id,
    object_sequence: recorded.last,
    object: { ...happening.object },
    request_id: cause.requestId,
    idempotency_key: cause.idempotencyKey,
    created_at: values.now,
  };
}
