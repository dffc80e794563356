/**
 * Sends events to endpoints again: a single event, or those from a time range. The retry schedule starts over. The
 * event stays the same.
 */
import { sql } from "kysely";
import type { RedeliverEvent, RedeliverRange, Redelivery } from "@oriel/protocol/api";
import { endpointsFor, enqueue } from "../payments/events/enqueue.ts";
import { queueForFeed } from "../payments/events/feed-queue.ts";
import type { PlatformContext } from "../platform/context.ts";
import { ApiError } from "../platform/errors.ts";
import { firstIdOf } from "../platform/ids.ts";
import type { Tx } from "../platform/storage/database.ts";
import { ownedBy } from "../platform/storage/owned-by.ts";
import type { Tenant } from "../platform/tenant.ts";
import { findEvent } from "./events.ts";
import { findWebhookEndpoint, requireEnabled } from "./webhook-endpoints.ts";

/** The most events in one redelivery. */
const maxRange = 10_000;

/**
 * Redelivers one event, either to one endpoint, or to all subscribed endpoints and to the event feed.
 *
 * @throws ApiError `resource_missing`, `webhook_endpoint_disabled`
 */
export async function redeliverEvent(
  { now }: Pick<PlatformContext, "now">,
  tx: Tx,
  tenant: Tenant,
  id: string,
  { webhook_endpoint_id }: RedeliverEvent,
): Promise<Redelivery> {
  const event = await findEvent(tx, tenant, id);
  if (webhook_endpoint_id !== undefined) {
    const endpoint = requireEnabled(await findWebhookEndpoint(tx, tenant, webhook_endpoint_id, "webhook_endpoint_id"));
    return redelivery(await enqueue(tx, tenant, [event.id], [endpoint.id], now()));
  }
  await queueForFeed(tx, tenant, event.id);
  return redelivery(await enqueue(tx, tenant, [event.id], await endpointsFor(tx, tenant, event), now()));
}

/**
 * Redelivers the events from a time range to one endpoint.
 *
 * @throws ApiError `resource_missing`, `webhook_endpoint_disabled`; `parameter_invalid` if the range ends before it
 *   starts or contains too many events; `rate_limited` while another range of the account is being redelivered
 */
export async function redeliverRange(
  { now }: Pick<PlatformContext, "now">,
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
    .leftJoin("delivery", (join) =>
      join
        .on(ownedBy(tenant, "delivery"))
        .onRef("delivery.event_id", "=", "event.id")
        .on("delivery.endpoint_id", "=", endpoint.id),
    )
    .select("event.id")
    .where(ownedBy(tenant, "event"))
    .where("event.id", ">=", firstIdOf("evt", new Date(from * 1000)))
    .where("event.type", "!=", "ping")
    .where(sql<boolean>`event.type = any(coalesce(${endpoint.enabled_events}::text[], array[event.type]))`)
    .orderBy("event.id")
    .limit(maxRange + 1);
  if (to !== undefined) events = events.where("event.id", "<", firstIdOf("evt", new Date(to * 1000)));
  if (only_failed) events = events.where(sql<boolean>`delivery.status is distinct from 'succeeded'`);
  const found = await events.execute();
  if (found.length > maxRange) {
    const sentence = `The time range contains more than ${maxRange.toLocaleString("en-US")} events. Use a shorter range, or read the event feed with GET /api/v1/events?after=start.`;
    throw new ApiError("parameter_invalid", sentence, { param: "from" });
  }
  const ids = found.map(({ id }) => id);
  return redelivery(await enqueue(tx, tenant, ids, [endpoint.id], now()));
}

/**
 * Allows one range per account at a time. Each can insert ten thousand rows, and several at once would wait for each
 * other and use up the connection pool.
 */
async function oneAtATime(tx: Tx, { accountNo }: Tenant): Promise<void> {
  const key = `redeliver ${accountNo}`;
  const { rows } = await sql<{
    mine: boolean;
  }>`select pg_try_advisory_xact_lock(hashtextextended(${key}, 0)) as mine`.execute(tx);
  if (rows[0]?.mine === true) return;
  throw new ApiError(
    "rate_limited",
    "Another redelivery of a time range is in progress for this account. Try again when that redelivery is finished.",
    {
      retryAfterSeconds: 1,
    },
  );
}

function redelivery(deliveries: number): Redelivery {
  return { object: "redelivery", deliveries };
}
