/** Events: what has happened, as webhooks tell it, for whoever missed one or would rather ask than be told. */
import type { Event, EventType, EventWalk, List, RedeliverEvent, Redelivery } from "@oriel/protocol/api";
import type { ListParams, RequestOptions, WriteOptions } from "../client-options.ts";
import { listAll, type ListAllParams } from "../list-all.ts";
import type { Sender } from "../send-request.ts";
import { walkAll, type EventWalkAllParams, type EventWalkParams } from "../walk-all.ts";

/** Which events: those of one type. */
export interface EventListParams extends ListParams {
  type?: EventType;
}

export interface Events {
  /**
   * One event, with its object as it was at that moment. Amounts are in the currency's smallest unit, times in unix
   * seconds.
   *
   * @example const event = await oriel.events.retrieve("evt_01j9x");
   * @throws OrielInvalidRequestError `resource_missing`
   */
  retrieve(id: string, options?: RequestOptions): Promise<Event>;

  /**
   * One page of events, newest first.
   *
   * @example const { data } = await oriel.events.list({ type: "payment.succeeded" });
   * @throws OrielInvalidRequestError for a limit that is not 1 to 100
   */
  list(params?: EventListParams, options?: RequestOptions): Promise<List<Event>>;

  /**
   * Every event, newest first, asked for in pages of 100 as the loop goes on. Break where you meet what you know.
   *
   * @example for await (const event of oriel.events.listAll()) if (!(await remember(event))) break;
   * @throws what `list` throws, in the middle of the loop
   */
  listAll(params?: ListAllParams<EventListParams>, options?: RequestOptions): AsyncIterable<Event>;

  /**
   * One page of the walk through all events, oldest first: `{ data, has_more, cursor }`. Ask on with `after: cursor`,
   * also when `data` is empty. Nothing that is committed later comes before a cursor, so a walk that goes on from it
   * misses nothing. An event that was redelivered comes again, at the end.
   *
   * @example const { data, cursor } = await oriel.events.walk({ after: "now" });
   * @throws OrielInvalidRequestError for a cursor that is none, or a limit that is not 1 to 100
   */
  walk(params: EventWalkParams, options?: RequestOptions): Promise<EventWalk>;

  /**
   * The walk up to the present, asked for in pages of 100 as the loop goes on, one page at least. Store a page's
   * `cursor` when the page is worked, and begin there next time: what happened while you were down is caught up with,
   * and nothing is left out. What you had worked and not stored comes again.
   *
   * @example
   * for await (const { data, cursor } of oriel.events.walkAll({ after: (await storedCursor()) ?? "start" })) {
   *   for (const event of data) await handle(event);
   *   await storeCursor(cursor);
   * }
   * @throws what `walk` throws, in the middle of the loop
   */
  walkAll(params: EventWalkAllParams, options?: RequestOptions): AsyncIterable<EventWalk>;

  /**
   * Sends an event again, with the same id and number: to one endpoint, or to every enabled endpoint that wants its
   * type and to whoever walks.
   *
   * @example await oriel.events.redeliver("evt_01j9x", { webhook_endpoint_id: "we_01j9x" });
   * @throws OrielInvalidRequestError `resource_missing`, `webhook_endpoint_disabled`
   */
  redeliver(id: string, params?: RedeliverEvent, options?: WriteOptions): Promise<Redelivery>;
}

export function events({ get, post }: Sender): Events {
  const list: Events["list"] = (params = {}, options) => get(["events"], params, options);
  const walk: Events["walk"] = (params, options) => get(["events"], params, options);
  const endpoint: Events = {
    retrieve: (id, options) => get(["events", id], {}, options),
    list,
    listAll: (params = {}, options) => listAll(list, params, options),
    walk,
    walkAll: (params, options) => walkAll(walk, params, options),
    redeliver: (id, params = {}, options) => post(["events", id, "redeliver"], params, options),
  };
  return Object.freeze(endpoint);
}
