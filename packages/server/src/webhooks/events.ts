/** Events in the API, newest first. `event-feed.ts` returns them in the order in which they happened. */
import { apiVersion, type Event, type EventType } from "@oriel/protocol/api";
import type { EventSummary } from "@oriel/protocol/dashboard/payments";
import type { EventContents } from "../payments/events/record-event.ts";
import type { PlatformContext } from "../platform/context.ts";
import { missingInPath } from "../platform/errors.ts";
import type { Db } from "../platform/storage/database.ts";
import { listPage, type PageRequest } from "../platform/storage/list-page.ts";
import { ownedBy } from "../platform/storage/owned-by.ts";
import type { Row } from "../platform/storage/tables.ts";
import type { Tenant } from "../platform/tenant.ts";
import { unixSeconds } from "../platform/unix-seconds.ts";

export async function retrieveEvent({ db }: Pick<PlatformContext, "db">, tenant: Tenant, id: string): Promise<Event> {
  return toEvent(await findEvent(db, tenant, id));
}

/** @throws ApiError `resource_missing`, for an ID in the path */
export async function findEvent(db: Db, tenant: Tenant, id: string): Promise<Row<"event">> {
  const row = await ownEvents(db, tenant).selectAll().where("id", "=", id).executeTakeFirst();
  if (row === undefined) throw missingInPath("event", id);
  return row;
}

export async function listEvents(
  { db }: Pick<PlatformContext, "db">,
  tenant: Tenant,
  page: PageRequest & EventFilters,
) {
  return await listPage(page, "event", filteredEvents(db, tenant, page).selectAll(), toEvent);
}

/** The same list without the events' objects, which may be large. */
export async function listEventSummaries(
  { db }: Pick<PlatformContext, "db">,
  tenant: Tenant,
  page: PageRequest & EventFilters,
) {
  return await listPage(page, "event", filteredEvents(db, tenant, page).select(summaryColumns), toSummary);
}

/** The events of several objects, newest first. */
export async function eventsOfObjects(db: Db, tenant: Tenant, objectIds: readonly string[], limit: number) {
  const events = ownEvents(db, tenant).select(summaryColumns).where("object_id", "in", objectIds);
  return await events.orderBy("id", "desc").limit(limit).execute();
}

/** The event as the API returns it and as webhooks send it. */
export function toEvent(row: EventContents): Event {
  return {
    id: row.id,
    object: "event",
    type: row.type,
    created: unixSeconds(row.created_at),
    api_version: apiVersion,
    livemode: row.livemode,
    object_sequence: row.object_sequence,
    data: { object: row.object },
    request: { id: row.request_id, idempotency_key: row.idempotency_key },
  } as Event; // recordEvent wrote a matching type and object
}

export interface EventFilters {
  type?: EventType | undefined;
  object_id?: string | undefined;
}

const summaryColumns = ["id", "type", "object_id", "object_sequence", "created_at"] as const;

export function toSummary(row: Pick<Row<"event">, (typeof summaryColumns)[number]>): EventSummary {
  const { id, type, object_id, object_sequence } = row;
  return { id, type, object_id, object_sequence, created: unixSeconds(row.created_at) };
}

function filteredEvents(db: Db, tenant: Tenant, { type, object_id }: EventFilters) {
  let events = ownEvents(db, tenant);
  if (type !== undefined) events = events.where("type", "=", type);
  if (object_id !== undefined) events = events.where("object_id", "=", object_id);
  return events;
}

function ownEvents(db: Db, tenant: Tenant) {
  return db.selectFrom("event").where(ownedBy(tenant));
}
