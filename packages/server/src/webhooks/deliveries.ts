/**
 * Deliveries as merchants see them. A delivery sends one event to one endpoint. Its row is also its entry in the queue
 * (`claim-deliveries.ts`), and is written together with the event (`payments/events/enqueue.ts`).
 */
import type { Delivery } from "@oriel/protocol/api";
import type { EventDelivery } from "@oriel/protocol/dashboard-payments";
import type { PlatformContext } from "../platform/context.ts";
import type { Db } from "../platform/storage/database.ts";
import { listPage, type PageRequest } from "../platform/storage/list-page.ts";
import type { Row } from "../platform/storage/tables.ts";
import type { Tenant } from "../platform/tenant.ts";
import { unixSeconds } from "../platform/unix-seconds.ts";
import { findWebhookEndpoint } from "./webhook-endpoints.ts";

export async function listDeliveries(
  { db }: Pick<PlatformContext, "db">,
  tenant: Tenant,
  endpointId: string,
  {
    status,
    event_id,
    ...page
  }: PageRequest & { status?: Delivery["status"] | undefined; event_id?: string | undefined },
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
 * Lists where events were sent, and the results.
 *
 * @param eventIds events that belong to the same merchant, which the caller has checked
 */
export async function deliveriesOfEvents(db: Db, eventIds: readonly string[], limit: number): Promise<EventDelivery[]> {
  if (eventIds.length === 0) return [];
  const rows = await db
    .selectFrom("delivery")
    .innerJoin("event", "event.id", "delivery.event_id")
    .innerJoin("webhook_endpoint as endpoint", "endpoint.id", "delivery.endpoint_id")
    .selectAll("delivery")
    .select(["event.type as event_type", "endpoint.url"])
    .where("delivery.event_id", "in", eventIds)
    .orderBy("delivery.id", "desc")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...toDelivery(row), url: row.url }));
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
