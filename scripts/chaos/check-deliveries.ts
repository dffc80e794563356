/**
 * The comparison after a run about webhooks: what happened (the database), what each receiver took, and what each walk
 * was shown. Every event arrived at every endpoint that wants it and is up; the events of each object are numbered from
 * 1 without a gap, in all three places; one id is one event with the same bytes everywhere; a walk shows every event
 * once, an object's events in their order.
 */
import { isDeepStrictEqual } from "node:util";
import type { Event } from "@oriel/protocol/api";
import type { Db } from "../../packages/server/src/platform/storage/database.ts";
import type { Row } from "../../packages/server/src/platform/storage/tables.ts";
import { wants, type Listener } from "./listeners.ts";
import type { Walk } from "./walk.ts";

export interface DeliveryVerdict {
  events: number;
  /** Of them, those that arrived wherever they should. */
  delivered: number;
  /** How often an endpoint took what it had taken before. */
  duplicates: number;
  gaps: number;
  /** Events that a walk did not show. */
  skipped: number;
  /** As sentences; also those about what is counted above. */
  wrong: string[];
}

type EventRow = Pick<Row<"event">, "id" | "type" | "object_id" | "object_sequence">;

export async function checkDeliveries(
  db: Db,
  listeners: readonly Listener[],
  walks: readonly Walk[],
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
    ...walks.flatMap(({ name, events: shown }) => gapsIn(`the walk "${name}"`, shown.map(toRow))),
  ];
  const skipped = walks.flatMap((walk) => whatWasSkipped(walk, events));
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
      ...walks.flatMap((walk) => [...walk.wrong, ...whatIsOutOfOrder(walk)]),
      ...listeners.flatMap((listener) => whatIsStrange(listener, events)),
      ...whatDiffers(listeners, walks),
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

/** A sentence for each number that is missing below an object's highest, and for each that two events have. */
function gapsIn(where: string, events: readonly EventRow[]): string[] {
  const wrong: string[] = [];
  for (const [object, of] of Map.groupBy(events, ({ object_id }) => object_id)) {
    const byNumber = Map.groupBy(of, ({ object_sequence }) => object_sequence);
    const highest = Math.max(...byNumber.keys());
    for (let n = 1; n <= highest; n++) {
      const count = uniqueIds(byNumber.get(n) ?? []).size;
      if (count !== 1) wrong.push(`${where}: number ${n} of ${highest} of ${object} is ${count} events`);
    }
  }
  return wrong;
}

function whatWasSkipped({ name, events: shown }: Walk, events: readonly EventRow[]): string[] {
  const ids = uniqueIds(shown);
  return events.filter(({ id }) => !ids.has(id)).map(({ id, type }) => `the walk "${name}" skipped ${id} (${type})`);
}

/** In what was shown: once each, and an object's in their order. */
function whatIsOutOfOrder({ name, events }: Walk): string[] {
  const wrong: string[] = [];
  const last = new Map<string, number>();
  const seen = new Set<string>();
  for (const { id, object_id, object_sequence } of events.map(toRow)) {
    if (seen.has(id)) wrong.push(`the walk "${name}" showed ${id} twice`);
    else if (object_sequence <= (last.get(object_id) ?? 0)) wrong.push(`the walk "${name}" showed ${id} too late`);
    seen.add(id);
    last.set(object_id, object_sequence);
  }
  return wrong;
}

function whatIsStrange(listener: Listener, events: readonly EventRow[]): string[] {
  const { name, receiver } = listener;
  const known = new Map(events.map((event) => [event.id, event]));
  const strangers = [...receiver.bodies].flatMap(([id, body]) => {
    const event = known.get(id);
    if (event === undefined) return [`${id} arrived at "${name}" and never happened`];
    if (!wants(listener, event)) return [`${id} (${event.type}) arrived at "${name}", which does not want it`];
    const told = toRow(JSON.parse(body) as Event); // the SDK has verified it
    return isDeepStrictEqual(told, { ...event }) ? [] : [`${id} arrived at "${name}" as ${JSON.stringify(told)}`];
  });
  return [...receiver.wrong.map((what) => `"${name}": ${what}`), ...strangers];
}

/** One id is the same bytes at every endpoint, and the same event in every walk. */
function whatDiffers(listeners: readonly Listener[], walks: readonly Walk[]): string[] {
  const wrong: string[] = [];
  const bodies = new Map<string, string>();
  for (const { name, receiver } of listeners) {
    for (const [id, body] of receiver.bodies) {
      if ((bodies.get(id) ?? body) !== body) wrong.push(`${id} came to "${name}" with other bytes than elsewhere`);
      bodies.set(id, body);
    }
  }
  for (const { name, events } of walks) {
    for (const event of events) {
      const body = bodies.get(event.id);
      if (body !== undefined && !isDeepStrictEqual(event, JSON.parse(body))) {
        wrong.push(`${event.id} is another event in the walk "${name}" than in its webhook`);
      }
    }
  }
  return wrong;
}

/** One row for each event and endpoint that wants it: taken, and never so where nobody takes anything. */
async function checkRows(db: Db, listeners: readonly Listener[], events: readonly EventRow[]): Promise<string[]> {
  const rows = await db.selectFrom("delivery").select(["id", "event_id", "endpoint_id", "status", "tries"]).execute();
  const byEndpoint = Map.groupBy(rows, ({ endpoint_id }) => endpoint_id);
  return listeners.flatMap((listener) => {
    const { name, isDown, endpointId } = listener;
    const own = byEndpoint.get(endpointId) ?? [];
    const must = new Set(events.filter((event) => wants(listener, event)).map(({ id }) => id));
    const is = new Set(own.map(({ event_id }) => event_id));
    const counted =
      own.length === is.size && isDeepStrictEqual(is, must)
        ? []
        : [`"${name}" has ${own.length} deliveries of ${is.size} events, and should have one of each of ${must.size}`];
    const unsettled = own
      .filter(({ status }) => (isDown ? status === "succeeded" : status !== "succeeded"))
      .map(({ id, status, tries }) => `${id} to "${name}" is ${status} after ${tries} tries`);
    return [...counted, ...unsettled];
  });
}

function toRow({ id, type, object_sequence, data }: Event): EventRow {
  return { id, type, object_id: data.object.id, object_sequence };
}

function uniqueIds(events: readonly { id: string }[]): Set<string> {
  return new Set(events.map(({ id }) => id));
}
