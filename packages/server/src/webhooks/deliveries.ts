/**
 * Deliveries: one event on its way to one endpoint. Each is a row that is its own place in the queue (`claim-deliveries.ts` takes them up). Here:
 * how they come to be, how a merchant sees them, and how they are asked for again.
 */
import type { Delivery, RedeliverEvent, RedeliverRange, Redelivery } from "@oriel/protocol/api";
import { sql } from "kysely";
import type { Context } from "../context.ts";
import { ApiError } from "../errors.ts";
import { firstIdOf, newId } from "../ids.ts";
import { announce } from "../storage/announce.ts";
import type { Tx } from "../storage/database.ts";
import { listPage, type PageRequest } from "../storage/list-page.ts";
import type { Row } from "../storage/tables.ts";
import { ownedBy, type Tenant } from "../tenant.ts";
import { unixSeconds } from "../unix-seconds.ts";
import { findEvent } from "./events.ts";
import { orderKey } from "./event-clock.ts";
import { endpointsFor, findWebhookEndpoint, requireEnabled } from "./webhook-endpoints.ts";

/** Every dispatcher hears it when a transaction with new deliveries commits. */
export const deliveriesChannel = "oriel_deliveries";

/** As many events as one redelivery takes at once. */
const maxRange = 10_000;
const perStatement = 1_000;

/**
 * New deliveries, or those that are there from the beginning of their schedule. Part of the transaction that writes the event, or asks for it again.
 *
 * @returns how many
 */
export async function enqueue(tx: Tx, eventIds: readonly string[], endpointIds: readonly string[], now: Date): Promise<number> {
  const all = eventIds.flatMap((eventId) => endpointIds.map((endpointId) => newDelivery(eventId, endpointId, now)));
  for (let i = 0; i < all.length; i += perStatement) {
    await tx
      .insertInto("delivery")
      .values(all.slice(i, i + perStatement))
      .onConflict((conflict) =>
        conflict.columns(["event_id", "endpoint_id"]).doUpdateSet({ status: "pending", tries: 0, next_try_at: now }),
      )
      .execute();
  }
  if (all.length > 0) announce(tx, deliveriesChannel);
  return all.length;
}

export async function listDeliveries(
  { db }: Pick<Context, "db">,
  tenant: Tenant,
  endpointId: string,
  { status, event_id, ...page }: PageRequest & { status?: Delivery["status"] | undefined; event_id?: string | undefined },
) {
  const endpoint = await findWebhookEndpoint(db, tenant, endpointId);
  let deliveries = db
    .selectFrom("delivery")
    .innerJoin("event", "event.id", "delivery.event_id")
    .selectAll("delivery")
    .select("event.type as event_type")
    .where("delivery.endpoint_id", "=", endpoint.id);
  if (status !== undefined) deliveries = deliveries.where("delivery.status", "=", status);
  if (event_id !== undefined) deliveries = deliveries.where("delivery.event_id", "=", event_id);
  return await listPage(page, "delivery", deliveries, toDelivery);
}

/**
 * One event once more: to one endpoint, or to all that want it and to everybody who walks the events.
 *
 * @throws ApiError `resource_missing`, `webhook_endpoint_disabled`
 */
export async function redeliverEvent(
  { now }: Pick<Context, "now">,
  tx: Tx,
  tenant: Tenant,
  id: string,
  { webhook_endpoint_id }: RedeliverEvent,
): Promise<Redelivery> {
  const event = await findEvent(tx, tenant, id);
  if (webhook_endpoint_id !== undefined) {
    const endpoint = requireEnabled(await findWebhookEndpoint(tx, tenant, webhook_endpoint_id, "webhook_endpoint_id"));
    return redelivery(await enqueue(tx, [event.id], [endpoint.id], now()));
  }
  const walked = { event_id: event.id, account_id: tenant.accountId, livemode: tenant.livemode, order_key: orderKey };
  await tx.insertInto("event_redelivery").values(walked).execute();
  return redelivery(await enqueue(tx, [event.id], await endpointsFor(tx, tenant, event), now()));
}

/**
 * What happened in a time, once more to one endpoint.
 *
 * @throws ApiError `resource_missing`, `webhook_endpoint_disabled`; `parameter_invalid` for a time that ends before it begins, or is too much for once;
 *   `rate_limited` while another range of the account is under way
 */
export async function redeliverRange(
  { now }: Pick<Context, "now">,
  tx: Tx,
  tenant: Tenant,
  endpointId: string,
  { from, to, only_failed = true }: RedeliverRange,
): Promise<Redelivery> {
  await oneAtATime(tx, tenant);
  const endpoint = requireEnabled(await findWebhookEndpoint(tx, tenant, endpointId));
  if (to !== undefined && to <= from) {
    throw new ApiError("parameter_invalid", "`to` must be later than `from`.", { param: "to" });
  }
  let events = tx
    .selectFrom("event")
    .leftJoin("delivery", (join) => join.onRef("delivery.event_id", "=", "event.id").on("delivery.endpoint_id", "=", endpoint.id))
    .select("event.id")
    .where(ownedBy(tenant))
    .where("event.id", ">=", firstIdOf("evt", new Date(from * 1000)))
    .where("event.type", "!=", "ping")
    .where(sql<boolean>`event.type = any(coalesce(${endpoint.enabled_events}::text[], array[event.type]))`)
    .orderBy("event.id")
    .limit(maxRange + 1);
  if (to !== undefined) events = events.where("event.id", "<", firstIdOf("evt", new Date(to * 1000)));
  if (only_failed) events = events.where(sql<boolean>`delivery.status is distinct from 'succeeded'`);
  const found = await events.execute();
  if (found.length > maxRange) {
    const sentence = `More than ${maxRange} events: ask for less time at once, or walk them with GET /api/v1/events?after=start.`;
    throw new ApiError("parameter_invalid", sentence, { param: "from" });
  }
  const ids = found.map(({ id }) => id);
  return redelivery(await enqueue(tx, ids, [endpoint.id], now()));
}

/** Ten thousand rows are work: many at once would wait for each other with all connections there are. */
async function oneAtATime(tx: Tx, { accountId }: Tenant): Promise<void> {
  const key = `redeliver ${accountId}`;
  const { rows } = await sql<{ mine: boolean }>`select pg_try_advisory_xact_lock(hashtextextended(${key}, 0)) as mine`.execute(
    tx,
  );
  if (rows[0]?.mine === true) return;
  throw new ApiError("rate_limited", "Another range of this account is being redelivered just now. Ask again when it is done.", {
    retryAfterSeconds: 1,
  });
}

function redelivery(deliveries: number): Redelivery {
  return { object: "redelivery", deliveries };
}

function newDelivery(eventId: string, endpointId: string, now: Date) {
  const id = newId("del", now);
  return { id, event_id: eventId, endpoint_id: endpointId, status: "pending" as const, next_try_at: now, created_at: now };
}

function toDelivery(row: Row<"delivery"> & { event_type: Row<"event">["type"] }): Delivery {
  return {
    id: row.id,
    object: "delivery",
    created: unixSeconds(row.created_at),
    event_id: row.event_id,
    event_type: row.event_type,
    webhook_endpoint_id: row.endpoint_id,
    status: row.status,
    tries: row.tries,
    next_try_at: row.status === "pending" ? unixSeconds(row.next_try_at) : null,
    last_try:
      row.last_try_at === null
        ? null
        : {
            at: unixSeconds(row.last_try_at),
            duration_ms: row.duration_ms ?? 0,
            response_status: row.response_status,
            response_body: row.response_body,
            failure: row.failure,
          },
  };
}
