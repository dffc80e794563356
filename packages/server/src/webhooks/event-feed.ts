/**
 * The event feed, `GET /events?after=`: every event once, oldest first. The cursor never expires.
 *
 * Entries are numbered after their events were committed (`payments/events/feed-queue.ts`), so nothing can appear before
 * an entry that was already returned. The events of an object are in the order of their `object_sequence`. An event that
 * was redelivered to all endpoints is in the feed a second time.
 *
 * A cursor is `<number>-<event ID>`. If the database was restored from a backup that is older than the cursor, the
 * number is missing or belongs to another event. That is an error, because events would otherwise be skipped.
 */
import type { EventType, EventWalk } from "@oriel/protocol/api";
import { numberFeed } from "../payments/events/feed-queue.ts";
import type { PlatformContext } from "../platform/context.ts";
import { ApiError, missingInBody } from "../platform/errors.ts";
import type { Db } from "../platform/storage/database.ts";
import { ownedBy } from "../platform/storage/owned-by.ts";
import type { Row } from "../platform/storage/tables.ts";
import type { Tenant } from "../platform/tenant.ts";
import { toEvent } from "./events.ts";

export interface FeedRequest {
  /** `start`, `now`, an event ID, or a cursor. */
  after: string;
  type?: EventType | undefined;
  limit?: string | undefined;
}

/** @throws ApiError `parameter_invalid` for an invalid cursor, `resource_missing` for an unknown event ID */
export async function listFeed(
  { db }: Pick<PlatformContext, "db">,
  tenant: Tenant,
  request: FeedRequest,
): Promise<EventWalk> {
  const limit = Number(request.limit ?? "10");
  await numberFeed(db, tenant);
  const end = await readEnd(db, tenant);
  const from = await readCursor(db, tenant, request.after, end);
  const rows = await readAfter(db, tenant, { from, to: end.number, type: request.type, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit;
  // After the last page, everything up to the end has been seen, including events that were filtered out.
  const seen = hasMore && last !== undefined ? { number: last.number, eventId: last.id } : end;
  return { object: "list", data: shown.map(toEvent), has_more: hasMore, cursor: writeCursor(seen) };
}

interface Place {
  number: number;
  /** Null before the first entry. */
  eventId: string | null;
}

async function readEnd(db: Db, tenant: Tenant): Promise<Place> {
  const entries = db.selectFrom("feed_entry").select(["number", "event_id as eventId"]).where(ownedBy(tenant));
  return (await entries.orderBy("number", "desc").limit(1).executeTakeFirst()) ?? { number: 0, eventId: null };
}

/** @returns the number of the last entry that the caller has seen */
async function readCursor(db: Db, tenant: Tenant, after: string, end: Place): Promise<number> {
  if (after === "start") return 0;
  if (after === "now") return end.number;
  const [, number, id] = /^(?:([0-9]{1,15})-)?(evt_[0-9a-z]{1,80})$/.exec(after) ?? [];
  if (id === undefined) {
    throw new ApiError(
      "parameter_invalid",
      "`after` must be `start`, `now`, an event ID, or the `cursor` of the previous response.",
      { param: "after" },
    );
  }
  const entries = db.selectFrom("feed_entry").select("number").where(ownedBy(tenant)).where("event_id", "=", id);
  if (number === undefined) {
    const first = await entries.orderBy("number").limit(1).executeTakeFirst();
    if (first === undefined) throw missingInBody("event", id, "after");
    return first.number;
  }
  const entry = await entries.where("number", "=", Number(number)).executeTakeFirst();
  if (entry === undefined) throw await cursorLost(db, tenant, id);
  return entry.number;
}

/** Says where to continue: after the newest remaining event that isn't newer than the cursor's. */
async function cursorLost(db: Db, tenant: Tenant, id: string): Promise<ApiError> {
  const events = db.selectFrom("event").select("id").where(ownedBy(tenant)).where("id", "<=", id);
  const last = await events.orderBy("id", "desc").limit(1).executeTakeFirst();
  const restart = last?.id ?? "start";
  return new ApiError(
    "parameter_invalid",
    `This cursor isn't in the event feed, because the database was restored from a backup. To continue, send \`after=${restart}\`. You may get events that you have already processed.`,
    { param: "after" },
  );
}

interface FeedRange {
  from: number;
  to: number;
  type: EventType | undefined;
  limit: number;
}

async function readAfter(
  db: Db,
  tenant: Tenant,
  { from, to, type, limit }: FeedRange,
): Promise<(Row<"event"> & { number: number })[]> {
  let entries = db
    .selectFrom("feed_entry")
    .selectAll()
    .where(ownedBy(tenant))
    .where("number", ">", from)
    .where("number", "<=", to)
    .orderBy("number")
    .limit(limit);
  if (type !== undefined) entries = entries.where("event_type", "=", type);
  return await db
    .selectFrom(entries.as("entry"))
    .innerJoin("event", (join) => join.onRef("event.id", "=", "entry.event_id").on(ownedBy(tenant, "event")))
    .selectAll("event")
    .select("entry.number")
    .orderBy("entry.number")
    .execute();
}

function writeCursor({ number, eventId }: Place): string {
  return eventId === null ? "start" : `${number}-${eventId}`;
}
