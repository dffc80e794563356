/**
 * Checks a webhook run. Compares what happened (according to the database), what each receiver accepted, and what each
 * reader of the event feed saw. Every event must have arrived at every subscribed endpoint that is up. In all three
 * places, each object's events must be numbered from 1 without a gap, and an ID must always stand for the same event
 * with the same bytes. A reader must see every event once and an object's events in order.
 */
import { isDeepStrictEqual } from "node:util";
import type { Event } from "@oriel/protocol/api";
import type { Db } from "../../packages/server/src/platform/storage/database.ts";
import type { Row } from "../../packages/server/src/platform/storage/tables.ts";
import { wants, type Listener } from "./listeners.ts";
import type { FeedReader } from "./read-feed.ts";

export interface DeliveryVerdict {
  events: number;
  /** Events that arrived everywhere they should. */
  delivered: number;
  /** How often an endpoint accepted an event again. */
  duplicates: number;
  gaps: number;
  /** Events that a feed reader missed. */
  skipped: number;
  /** A sentence for each problem, including those counted above. */
  wrong: string[];
}

type EventRow = Pick<Row<"event">, "id" | "type" | "object_id" | "object_sequence">;

export async function checkDeliveries(
  db: Db,
  listeners: readonly Listener[],
  readers: readonly FeedReader[],
): Promise<DeliveryVerdict> {
  const events = await db
    .selectFrom("event")
    .select(["id", "type", "object_id", "object_sequence"])
    .orderBy("id")
    .execute();
  const up = listeners.filter(({ isDown }) => !isDown);
  const missing = up.flatMap((listener) => whatIsMissing(listener, events));
  const gaps = [
    ...gapsIn("the database", events),
    ...up
      .filter(({ types }) => types === null)
      .flatMap(({ name, receiver }) => gapsIn(name, receiver.events.map(toRow))),
    ...readers.flatMap(({ name, events: shown }) => gapsIn(`the feed reader "${name}"`, shown.map(toRow))),
  ];
  const skipped = readers.flatMap((reader) => whatWasSkipped(reader, events));
  return {
    events: events.length,
    delivered: events.length - new Set(missing.map(({ id }) => id)).size,
    duplicates: up.reduce((sum, { receiver }) => sum + receiver.events.length - uniqueIds(receiver.events).size, 0),
    gaps: gaps.length,
    skipped: skipped.length,
    wrong: [
      ...missing.map(({ what }) => what),
      ...gaps,
      ...skipped,
      ...readers.flatMap((reader) => [...reader.wrong, ...whatIsOutOfOrder(reader)]),
      ...listeners.flatMap((listener) => whatIsUnexpected(listener, events)),
      ...whatDiffers(listeners, readers),
      ...(await checkRows(db, listeners, events)),
    ],
  };
}

function whatIsMissing(listener: Listener, events: readonly EventRow[]): { id: string; what: string }[] {
  const taken = uniqueIds(listener.receiver.events);
  return events
    .filter((event) => wants(listener, event) && !taken.has(event.id))
    .map(({ id, type }) => ({ id, what: `${id} (${type}) never arrived at "${listener.name}"` }));
}

/** Reports each number that's missing below an object's highest number, and each number that two events share. */
function gapsIn(where: string, events: readonly EventRow[]): string[] {
  const wrong: string[] = [];
  for (const [object, of] of Map.groupBy(events, ({ object_id }) => object_id)) {
    const byNumber = Map.groupBy(of, ({ object_sequence }) => object_sequence);
    const highest = Math.max(...byNumber.keys());
    for (let n = 1; n <= highest; n++) {
      const count = uniqueIds(byNumber.get(n) ?? []).size;
      if (count !== 1)
        wrong.push(`${where}: sequence number ${n} of ${object} (highest: ${highest}) belongs to ${count} events`);
    }
  }
  return wrong;
}

function whatWasSkipped({ name, events: shown }: FeedReader, events: readonly EventRow[]): string[] {
  const ids = uniqueIds(shown);
  return events
    .filter(({ id }) => !ids.has(id))
    .map(({ id, type }) => `the feed reader "${name}" skipped ${id} (${type})`);
}

/** A reader must see each event once, and an object's events in order. */
function whatIsOutOfOrder({ name, events }: FeedReader): string[] {
  const wrong: string[] = [];
  const last = new Map<string, number>();
  const seen = new Set<string>();
  for (const { id, object_id, object_sequence } of events.map(toRow)) {
    if (seen.has(id)) wrong.push(`the feed reader "${name}" saw ${id} twice`);
    else if (object_sequence <= (last.get(object_id) ?? 0))
      wrong.push(`the feed reader "${name}" saw ${id} out of order`);
    seen.add(id);
    last.set(object_id, object_sequence);
  }
  return wrong;
}

function whatIsUnexpected(listener: Listener, events: readonly EventRow[]): string[] {
  const { name, receiver } = listener;
  const known = new Map(events.map((event) => [event.id, event]));
  const strangers = [...receiver.bodies].flatMap(([id, body]) => {
    const event = known.get(id);
    if (event === undefined) return [`${id} arrived at "${name}", but the database has no such event`];
    if (!wants(listener, event)) return [`${id} (${event.type}) arrived at "${name}", which isn't subscribed to it`];
    const delivered = toRow(JSON.parse(body) as Event); // the SDK has verified it
    return isDeepStrictEqual(delivered, { ...event })
      ? []
      : [`${id} arrived at "${name}" as ${JSON.stringify(delivered)}`];
  });
  return [...receiver.wrong.map((what) => `"${name}": ${what}`), ...strangers];
}

/** An ID must have the same bytes at every endpoint and stand for the same event for every feed reader. */
function whatDiffers(listeners: readonly Listener[], readers: readonly FeedReader[]): string[] {
  const wrong: string[] = [];
  const bodies = new Map<string, string>();
  for (const { name, receiver } of listeners) {
    for (const [id, body] of receiver.bodies) {
      if ((bodies.get(id) ?? body) !== body)
        wrong.push(`${id} arrived at "${name}" with a different body than at another endpoint`);
      bodies.set(id, body);
    }
  }
  for (const { name, events } of readers) {
    for (const event of events) {
      const body = bodies.get(event.id);
      if (body !== undefined && !isDeepStrictEqual(event, JSON.parse(body))) {
        wrong.push(`${event.id} is different for the feed reader "${name}" than in its webhook`);
      }
    }
  }
  return wrong;
}

/**
 * Each event has one delivery for each subscribed endpoint. The delivery must have succeeded, except at endpoints that
 * accept nothing.
 */
async function checkRows(db: Db, listeners: readonly Listener[], events: readonly EventRow[]): Promise<string[]> {
  const rows = await db.selectFrom("delivery").select(["id", "event_id", "endpoint_id", "status", "tries"]).execute();
  const byEndpoint = Map.groupBy(rows, ({ endpoint_id }) => endpoint_id);
  return listeners.flatMap((listener) => {
    const { name, isDown, endpointId } = listener;
    const own = byEndpoint.get(endpointId) ?? [];
    const expected = new Set(events.filter((event) => wants(listener, event)).map(({ id }) => id));
    const is = new Set(own.map(({ event_id }) => event_id));
    const counted =
      own.length === is.size && isDeepStrictEqual(is, expected)
        ? []
        : [
            `"${name}" has ${own.length} deliveries of ${is.size} events, but should have one for each of its ${expected.size} events`,
          ];
    const unsettled = own
      .filter(({ status }) => (isDown ? status === "succeeded" : status !== "succeeded"))
      .map(({ id, status, tries }) => `${id} to "${name}" is ${status} after ${tries} attempts`);
    return [...counted, ...unsettled];
  });
}

function toRow({ id, type, object_sequence, data }: Event): EventRow {
  return { id, type, object_id: data.object.id, object_sequence };
}

function uniqueIds(events: readonly { id: string }[]): Set<string> {
  return new Set(events.map(({ id }) => id));
}
