/**
 * Deliveries as merchants see them. A delivery sends one event to one endpoint. Its row is also its entry in the queue
 * (`claim-deliveries.ts`), and is written together with the event (`payments/events/enqueue.ts`).
 */
import type { Delivery } from "@oriel/protocol/api";
import type { EventDelivery } from "@oriel/protocol/dashboard/payments";
import type { EndpointWithHealth } from "@oriel/protocol/dashboard/setup";
import type { PlatformContext } from "../platform/context.ts";
import type { Db } from "../platform/storage/database.ts";
import { listPage, type PageRequest } from "../platform/storage/list-page.ts";
import { ownedBy } from "../platform/storage/owned-by.ts";
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
    // With a plain join, PostgreSQL expects few rows, and sorts all deliveries for a page.
    .innerJoinLateral(
      ({ selectFrom }) =>
        selectFrom("event")
          .select("type as event_type")
          .where(ownedBy(tenant))
          .whereRef("event.id", "=", "delivery.event_id")
          .limit(1)
          .as("event"),
      (join) => join.onTrue(),
    )
    .selectAll("delivery")
    .select("event.event_type")
    .where(ownedBy(tenant, "delivery"))
    .where("delivery.endpoint_id", "=", endpoint.id);
  if (status !== undefined) deliveries = deliveries.where("delivery.status", "=", status);
  if (event_id !== undefined) deliveries = deliveries.where("delivery.event_id", "=", event_id);
  return await listPage(page, "delivery", deliveries, toDelivery);
}

/** Lists where events were sent, and the results. */
export async function deliveriesOfEvents(
  db: Db,
  tenant: Tenant,
  eventIds: readonly string[],
  limit: number,
): Promise<EventDelivery[]> {
  if (eventIds.length === 0) return [];
  const rows = await db
    .selectFrom("delivery")
    .innerJoin("event", (join) => join.onRef("event.id", "=", "delivery.event_id").on(ownedBy(tenant, "event")))
    .innerJoin("webhook_endpoint as endpoint", (join) =>
      join.onRef("endpoint.id", "=", "delivery.endpoint_id").on(ownedBy(tenant, "endpoint")),
    )
    .selectAll("delivery")
    .select(["event.type as event_type", "endpoint.url"])
    .where(ownedBy(tenant, "delivery"))
    .where("delivery.event_id", "in", eventIds)
    .orderBy("delivery.id", "desc")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...toDelivery(row), url: row.url }));
}

/** The number of an endpoint's newest deliveries among which its latest attempt is searched. */
const recentDeliveries = 100;

/** Returns the latest attempt of each endpoint, by endpoint ID. */
export async function lastAttemptsOf(
  db: Db,
  tenant: Tenant,
  endpointIds: readonly string[],
): Promise<Map<string, NonNullable<EndpointWithHealth["last_attempt"]>>> {
  if (endpointIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("webhook_endpoint as endpoint")
    .innerJoinLateral(
      ({ selectFrom }) =>
        selectFrom(
          selectFrom("delivery")
            .selectAll("delivery")
            .where(ownedBy(tenant))
            .whereRef("delivery.endpoint_id", "=", "endpoint.id")
            .orderBy("delivery.id", "desc")
            .limit(recentDeliveries)
            .as("recent"),
        )
          .selectAll("recent")
          .where("recent.last_try_at", "is not", null)
          .orderBy("recent.last_try_at", "desc")
          .limit(1)
          .as("last"),
      (join) => join.onTrue(),
    )
    .selectAll("last")
    .where(ownedBy(tenant, "endpoint"))
    .where("endpoint.id", "in", endpointIds)
    .execute();
  return new Map(
    rows.flatMap((row) => {
      const attempt = lastTryOf(row);
      return attempt === null ? [] : [[row.endpoint_id, { ...attempt, status: row.status }]];
    }),
  );
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
    last_try: lastTryOf(row),
  };
}

function lastTryOf(row: Row<"delivery">): Delivery["last_try"] {
  if (row.last_try_at === null) return null;
  return {
    at: unixSeconds(row.last_try_at),
    duration_ms: row.duration_ms ?? 0,
    response_status: row.response_status,
    response_body: row.response_body,
    failure: row.failure,
  };
}
