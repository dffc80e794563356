/**
 * The event feed, `GET /events?after=`: every event once, oldest first. The cursor never expires.
 *
 * Transactions don't commit in the order in which they begin, so "everything after the last event I saw" would miss
 * late commits. The feed is therefore ordered by transaction (`order_key`) and ends before the oldest transaction still
 * running. Nothing can appear before an event that was already returned. An event may be hidden while an older
 * transaction runs, usually for milliseconds, but is never lost. The events of an object are in the order of their
 * `object_sequence`. An event that was redelivered to all endpoints is in the feed a second time.
 *
 * A cursor is a position in that order, `<order_key>-<position>`. It doesn't refer to a row.
 */
import type { EventType, EventWalk } from "@oriel/protocol/api";
import { sql } from "kysely";
import type { PlatformContext } from "../platform/context.ts";
import { ApiError, missingInBody } from "../platform/errors.ts";
import type { Db } from "../platform/storage/database.ts";
import type { Row } from "../platform/storage/tables.ts";
import { ownedBy } from "../platform/storage/owned-by.ts";
import type { Tenant } from "../platform/tenant.ts";
import { readHorizon } from "../payments/events/event-clock.ts";
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
  // Read this first: all transactions below the horizon have ended by the time the events are read.
  const horizon = await readHorizon(db);
  // Never start beyond the horizon, whatever the cursor says, so that no event is skipped.
  const from = earlierOf(await readCursor(db, tenant, request.after), lastBelow(horizon));
  const rows = await readAfter(db, tenant, { from, horizon, type: request.type, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit;
  // After the last page, everything below the horizon has been seen, including events that were filtered out.
  const seen =
    hasMore && last !== undefined ? { orderKey: last.at_order_key, position: last.at_position } : lastBelow(horizon);
  return { object: "list", data: shown.map(toEvent), has_more: hasMore, cursor: writeCursor(seen) };
}

interface Place {
  orderKey: number;
  position: number;
}

/** Order keys and positions start at 1. */
const start: Place = { orderKey: 0, position: 0 };
const lastPosition = 999_999_999_999_999;
const end: Place = { orderKey: Number.MAX_SAFE_INTEGER, position: lastPosition };

async function readCursor(db: Db, tenant: Tenant, after: string): Promise<Place> {
  if (after === "start") return start;
  if (after === "now") return end;
  const [, orderKey, position] = /^([0-9]{1,15})-([0-9]{1,15})$/.exec(after) ?? [];
  if (orderKey !== undefined && position !== undefined)
    return { orderKey: Number(orderKey), position: Number(position) };
  if (!/^evt_[0-9a-z]{1,80}$/.test(after)) {
    throw new ApiError(
      "parameter_invalid",
      "`after` must be `start`, `now`, an event ID, or the `cursor` of the previous response.",
      { param: "after" },
    );
  }
  const places = db.selectFrom("event").select(["order_key as orderKey", "position"]);
  const place = await places.where("id", "=", after).where(ownedBy(tenant)).executeTakeFirst();
  if (place === undefined) throw missingInBody("event", after, "after");
  return place;
}

type WalkedRow = Row<"event"> & { at_order_key: number; at_position: number };

interface FeedRange {
  from: Place;
  horizon: number;
  type: EventType | undefined;
  limit: number;
}

/**
 * Reads both tables by index, no further than the page needs. With a rare type, the search may go on to the horizon,
 * but only once.
 */
async function readAfter(
  db: Db,
  { accountNo, livemode }: Tenant,
  { from, horizon, type, limit }: FeedRange,
): Promise<WalkedRow[]> {
  const within = sql`
    account_no = ${accountNo} and livemode = ${livemode}
    and (order_key, position) > (${from.orderKey}::bigint, ${from.position}::bigint) and order_key < ${horizon}::bigint`;
  const isWanted = type === undefined ? sql`true` : sql`event.type = ${type}`;
  const { rows } = await sql<WalkedRow>`
    select event.*, place.order_key as at_order_key, place.position as at_position
    from (
      (select id, order_key, position from event where ${within} and ${isWanted} order by order_key, position limit ${limit})
      union all
      (select again.event_id, again.order_key, again.position
       from (select * from event_redelivery where ${within}) again
         join event on (event.account_no, event.livemode, event.id) = (${accountNo}::bigint, ${livemode}::boolean, again.event_id)
       where ${isWanted} order by again.order_key, again.position limit ${limit})
    ) place join event on (event.account_no, event.livemode, event.id) = (${accountNo}::bigint, ${livemode}::boolean, place.id)
    order by place.order_key, place.position limit ${limit}`.execute(db);
  return rows;
}

/** The last position below the horizon. */
function lastBelow(horizon: number): Place {
  return { orderKey: horizon - 1, position: lastPosition };
}

function earlierOf(a: Place, b: Place): Place {
  return a.orderKey < b.orderKey || (a.orderKey === b.orderKey && a.position < b.position) ? a : b;
}

function writeCursor({ orderKey, position }: Place): string {
  return `${orderKey}-${position}`;
}
