/**
 * `GET /events?after=`: every event once, oldest first, by a cursor that can be kept for as long as one likes.
 *
 * Transactions commit in another order than they began, so "after the last one I saw" would skip what commits late. The
 * walk is ordered by transaction (`order_key`) and ends before the oldest one that still runs: what is shown is never
 * preceded by anything that appears later. That hides an event for as long as an older transaction runs, which is
 * milliseconds, and never loses one. An object's events come in the order of their `object_sequence`. What was
 * redelivered to everybody stands in the walk a second time.
 *
 * A cursor is a place in that order, `<order_key>-<position>`; it refers to no row.
 */
import type { EventType, EventWalk } from "@oriel/protocol/api";
import { sql } from "kysely";
import type { PlatformContext } from "../platform/context.ts";
import { ApiError, missingInBody } from "../platform/errors.ts";
import type { Db } from "../platform/storage/database.ts";
import type { Row } from "../platform/storage/tables.ts";
import { ownedBy, type Tenant } from "../platform/tenant.ts";
import { readHorizon } from "../payments/events/event-clock.ts";
import { toEvent } from "./events.ts";

export interface WalkRequest {
  /** `start`, `now`, an event's id, or a cursor. */
  after: string;
  type?: EventType | undefined;
  limit?: string | undefined;
}

/** @throws ApiError `parameter_invalid` for what is no cursor, `resource_missing` for an event's id that is unknown */
export async function walkEvents(
  { db }: Pick<PlatformContext, "db">,
  tenant: Tenant,
  request: WalkRequest,
): Promise<EventWalk> {
  const limit = Number(request.limit ?? "10");
  // Asked for first: whatever is below it has ended when the events are read.
  const horizon = await readHorizon(db);
  // Never beyond it, wherever a cursor comes from: the walk goes on at what has not been shown to anybody.
  const from = earlierOf(await readCursor(db, tenant, request.after), lastBelow(horizon));
  const rows = await readAfter(db, tenant, { from, horizon, type: request.type, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit;
  // After the last page everything below the horizon has been seen, also what was not asked for.
  const seen =
    hasMore && last !== undefined ? { orderKey: last.at_order_key, position: last.at_position } : lastBelow(horizon);
  return { object: "list", data: shown.map(toEvent), has_more: hasMore, cursor: writeCursor(seen) };
}

interface Place {
  orderKey: number;
  position: number;
}

/** Order keys and positions are from 1 on; those of before there was a walk have the order key 0. */
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
      "`after` is `start`, `now`, the id of an event, or the `cursor` of the answer before.",
      { param: "after" },
    );
  }
  const places = db.selectFrom("event").select(["order_key as orderKey", "position"]);
  const place = await places.where("id", "=", after).where(ownedBy(tenant)).executeTakeFirst();
  if (place === undefined) throw missingInBody("event", after, "after");
  return place;
}

type WalkedRow = Row<"event"> & { at_order_key: number; at_position: number };

interface Stretch {
  from: Place;
  horizon: number;
  type: EventType | undefined;
  limit: number;
}

/**
 * Both lists are read by their index, no further than the page needs; a rare type is looked for up to the horizon,
 * once.
 */
async function readAfter(
  db: Db,
  { accountId, livemode }: Tenant,
  { from, horizon, type, limit }: Stretch,
): Promise<WalkedRow[]> {
  const within = sql`
    account_id = ${accountId} and livemode = ${livemode}
    and (order_key, position) > (${from.orderKey}::bigint, ${from.position}::bigint) and order_key < ${horizon}::bigint`;
  const isWanted = type === undefined ? sql`true` : sql`event.type = ${type}`;
  const { rows } = await sql<WalkedRow>`
    select event.*, place.order_key as at_order_key, place.position as at_position
    from (
      (select id, order_key, position from event where ${within} and ${isWanted} order by order_key, position limit ${limit})
      union all
      (select again.event_id, again.order_key, again.position
       from (select * from event_redelivery where ${within}) again join event on event.id = again.event_id
       where ${isWanted} order by again.order_key, again.position limit ${limit})
    ) place join event on event.id = place.id
    order by place.order_key, place.position limit ${limit}`.execute(db);
  return rows;
}

/** The last place below the horizon. */
function lastBelow(horizon: number): Place {
  return { orderKey: horizon - 1, position: lastPosition };
}

function earlierOf(a: Place, b: Place): Place {
  return a.orderKey < b.orderKey || (a.orderKey === b.orderKey && a.position < b.position) ? a : b;
}

function writeCursor({ orderKey, position }: Place): string {
  return `${orderKey}-${position}`;
}
