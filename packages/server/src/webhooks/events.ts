/** Events as the API shows them, newest first. In the order in which they happened: `walk-events.ts`. */
import { apiVersion, type Event, type EventType } from "@oriel/protocol/api";
import type { Context } from "../context.ts";
import { missingInPath } from "../errors.ts";
import type { Db } from "../storage/database.ts";
import { listPage, type PageRequest } from "../storage/list-page.ts";
import type { Row } from "../storage/tables.ts";
import { ownedBy, type Tenant } from "../tenant.ts";
import { unixSeconds } from "../unix-seconds.ts";

export async function retrieveEvent({ db }: Pick<Context, "db">, tenant: Tenant, id: string): Promise<Event> {
  return toEvent(await findEvent(db, tenant, id));
}

/** @throws ApiError `resource_missing` for an id in the path */
export async function findEvent(db: Db, tenant: Tenant, id: string): Promise<Row<"event">> {
  const row = await ownEvents(db, tenant).selectAll().where("id", "=", id).executeTakeFirst();
  if (row === undefined) throw missingInPath("event", id);
  return row;
}

export async function listEvents(
  { db }: Pick<Context, "db">,
  tenant: Tenant,
  page: PageRequest & { type?: EventType | undefined },
) {
  let events = ownEvents(db, tenant).selectAll();
  if (page.type !== undefined) events = events.where("type", "=", page.type);
  return await listPage(page, "event", events, toEvent);
}

/** As much of an event's row as anybody is shown. */
export type EventContents = Pick<
  Row<"event">,
  "id" | "type" | "created_at" | "livemode" | "object_sequence" | "object" | "request_id" | "idempotency_key"
>;

/** The event as the API shows it and as it is sent. */
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
  } as Event; // type and object were written together by recordEvent
}

function ownEvents(db: Db, tenant: Tenant) {
  return db.selectFrom("event").where(ownedBy(tenant));
}
