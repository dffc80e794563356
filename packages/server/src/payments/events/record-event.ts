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
  DeletedCustomer,
  Dispute,
  DisputeEventType,
  PaymentMethodEventType,
  PaymentMethodSnapshot,
  Refund,
  SessionEventType,
  WebhookEndpoint,
} from "@oriel/protocol/api";
import type { Cause } from "../../platform/cause.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import { announceFrom } from "../../platform/storage/commit-hooks.ts";
import type { Db, Tx } from "../../platform/storage/database.ts";
import { storedFunction } from "../../platform/storage/stored-function.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { ownerColumns, type Tenant } from "../../platform/tenant.ts";
import { deliveriesChannel, maxEndpoints } from "./enqueue.ts";

export type Happening =
  | { type: ChargeEventType; object: ChargeWithSession }
  | { type: "refund.succeeded" | "refund.failed"; object: Refund }
  | { type: DisputeEventType; object: Dispute }
  | { type: SessionEventType; object: CheckoutSession }
  | { type: PaymentMethodEventType; object: PaymentMethodSnapshot }
  | { type: "customer.deleted"; object: DeletedCustomer }
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
 * The steps of a {@link storedFunction} that record the event of {@link eventValues} about the object whose ID is in the
 * variable `happened`. If that is null, the function fails, and everything is rolled back. Afterwards, `event_number` is the
 * event's `object_sequence`, and `delivered` the number of deliveries.
 *
 * The position in the feed is drawn after the counter is locked. Deliveries are always written in the same order, so that
 * transactions lock the endpoints' rows in the same order.
 */
export const recordedEvent = {
  takes: {
    event_id: "text",
    event_type: "text",
    object: "json",
    request_id: "text",
    idempotency_key: "text",
    delivery_ids: "text[]",
    now: "timestamptz",
  },
  declares: "happened text; event_number integer; receiver text; delivered integer := 0;",
  steps: /* sql */ `
    insert into event_sequence (account_no, livemode, object_id, last) values (:account_no, :livemode, happened, 1)
    on conflict (account_no, livemode, object_id) do update set last = event_sequence.last + 1
    returning last into event_number;
    insert into event (account_no, livemode, id, type, object_id, object_sequence, object, request_id, idempotency_key,
      created_at)
    values (:account_no, :livemode, :event_id, :event_type, happened, event_number, :object, :request_id, :idempotency_key,
      :now);
    insert into feed_queue (account_no, livemode, event_id) values (:account_no, :livemode, :event_id);
    -- The endpoints subscribed to the event's type or, for a ping, the endpoint that it's about.
    for receiver in
      select id from webhook_endpoint
      where account_no = :account_no and livemode = :livemode and status = 'enabled' and deleted_at is null
        and case when :event_type = 'ping' then id = happened
          else enabled_events is null or :event_type = any (enabled_events) end
      order by id
    loop
      delivered := delivered + 1;
      insert into delivery (account_no, livemode, endpoint_id, id, event_id, status, next_try_at, created_at)
      values (:account_no, :livemode, receiver, (:delivery_ids)[delivered], :event_id, 'pending', :now, :now);
    end loop;`,
} as const;

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
  number: number;
  deliveries: number;
}

/** Exported for `stored-functions.ts`. */
export const record = storedFunction<Recorded>("record_event", {
  takes: { account_no: "bigint", livemode: "boolean", object_id: "text", ...recordedEvent.takes },
  returns: "number integer, deliveries integer",
  declares: recordedEvent.declares,
  steps: /* sql */ `
    happened := :object_id;
    ${recordedEvent.steps}
    return query select event_number, delivered;`,
});

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
  const [recorded] = (await record(tx, { ...values, object_id })) as [Recorded]; // it always returns a row
  announceEvent(tx, recorded.deliveries);
  return {
    id: values.event_id,
    livemode: tenant.livemode,
    type: happening.type,
    object_id,
    object_sequence: recorded.number,
    object: { ...happening.object },
    request_id: cause.requestId,
    idempotency_key: cause.idempotencyKey,
    created_at: values.now,
  };
}
