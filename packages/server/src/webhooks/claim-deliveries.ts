/**
 * The queue of deliveries: takes up what is due, in one statement, and nobody else takes the same meanwhile.
 *
 * Fair by construction: the due ones are looked for endpoint by endpoint, each as far as it has room, so that a heap of deliveries to one that
 * is slow or dead is never even looked at. Taking one up moves its `next_try_at` ahead by a lease; a process that dies with it loses it to
 * another then, and whoever writes down what came of it does so only while that very lease stands.
 */
import { sql } from "kysely";
import type { Context } from "../context.ts";
import type { Row } from "../storage/tables.ts";
import type { EventContents } from "./events.ts";

/** Longer than a try can take. */
const leaseMs = 25_000;

export interface DueDelivery {
  id: string;
  tries: number;
  lease: Date;
  event: EventContents;
  endpoint: Row<"webhook_endpoint">;
}

export interface Room {
  /** How many may be taken up in all. */
  total: number;
  /** How many may be under way to one endpoint at once. */
  perEndpoint: number;
  /** The same for one that has been failing. */
  perFailingEndpoint: number;
  /** Endpoint -> how many are under way. */
  taken: ReadonlyMap<string, number>;
}

interface ClaimedRow extends Row<"webhook_endpoint"> {
  delivery_id: string;
  tries: number;
  event_id: string;
  event_type: Row<"event">["type"];
  event_created_at: Date;
  object_sequence: number;
  object: Row<"event">["object"];
  request_id: string | null;
  idempotency_key: string | null;
}

/** @returns at most `room.total`, each nobody else's until its lease is over */
export async function claimDeliveries({ db, now }: Pick<Context, "db" | "now">, room: Room): Promise<DueDelivery[]> {
  const claimedAt = now();
  const lease = new Date(claimedAt.getTime() + leaseMs);
  // `waiting` goes from endpoint to endpoint along the index, however many deliveries each has.
  const { rows } = await sql<ClaimedRow>`
    with recursive waiting as (
      (select endpoint_id from delivery where status = 'pending' order by endpoint_id limit 1)
      union all
      select next.endpoint_id from waiting cross join lateral (
        select endpoint_id from delivery
        where status = 'pending' and endpoint_id > waiting.endpoint_id order by endpoint_id limit 1
      ) next
    ),
    due as materialized (
      select picked.id from waiting
      join webhook_endpoint endpoint on endpoint.id = waiting.endpoint_id
        and (endpoint.held_until is null or endpoint.held_until <= ${claimedAt})
      left join unnest(${[...room.taken.keys()]}::text[], ${[...room.taken.values()]}::integer[]) as taken (id, count)
        on taken.id = endpoint.id
      cross join lateral (
        select id, next_try_at from delivery
        where endpoint_id = endpoint.id and status = 'pending' and next_try_at <= ${claimedAt}
        order by next_try_at
        limit greatest(0, coalesce(-taken.count, 0)
          + case when endpoint.failing_since is null then ${room.perEndpoint}::integer else ${room.perFailingEndpoint}::integer end)
        for update skip locked
      ) picked
      order by picked.next_try_at
      limit ${room.total}
    )
    update delivery set next_try_at = ${lease}
    from due, event, webhook_endpoint endpoint
    where delivery.id = due.id and event.id = delivery.event_id and endpoint.id = delivery.endpoint_id
    returning endpoint.*, delivery.id as delivery_id, delivery.tries, event.id as event_id, event.type as event_type,
      event.created_at as event_created_at, event.object_sequence, event.object, event.request_id, event.idempotency_key`.execute(
    db,
  );
  return rows.map((row) => toDueDelivery(row, lease));
}

function toDueDelivery(row: ClaimedRow, lease: Date): DueDelivery {
  const {
    delivery_id,
    tries,
    event_id,
    event_type,
    event_created_at,
    object_sequence,
    object,
    request_id,
    idempotency_key,
    ...endpoint
  } = row;
  const { livemode } = endpoint;
  const event = { id: event_id, type: event_type, created_at: event_created_at, livemode, object_sequence, object };
  return { id: delivery_id, tries, lease, event: { ...event, request_id, idempotency_key }, endpoint };
}
