/** Events: the same objects as in webhooks, to catch up after missed webhooks or to poll instead. */
import type { Event, EventType, EventWalk, List, RedeliverEvent, Redelivery } from "@oriel/protocol/api";
import type { ListParams, RequestOptions, WriteOptions } from "../client-options.ts";
import { listAll, type ListAllParams } from "../list-all.ts";
import type { Sender } from "../send-request.ts";
import { walkAll, type EventWalkAllParams, type EventWalkParams } from "../walk-all.ts";

/** Filters events by type. */
export interface EventListParams extends ListParams {
  type?: EventType;
}

export interface Events {
  /**
   * Retrieves an event, with its object as it was at the time. Amounts are in the currency's smallest unit, times in
   * Unix seconds.
   *
   * @example const event = await oriel.events.retrieve("evt_01j9x");
   * @throws OrielInvalidRequestError `resource_missing`
   */
  retrieve(id: string, options?: RequestOptions): Promise<Event>;

  /**
   * Returns one page of events, newest first.
   *
   * @example const { data } = await oriel.events.list({ type: "payment.succeeded" });
   * @throws OrielInvalidRequestError if the limit isn't 1 to 100
   */
  list(params?: EventListParams, options?: RequestOptions): Promise<List<Event>>;

  /**
   * Iterates over all events, newest first. Pages of 100 are fetched as needed. Stop at the first event that you
   * already have.
   *
   * @example for await (const event of oriel.events.listAll()) if (!(await remember(event))) break;
   * @throws the errors of `list`, during iteration
   */
  listAll(params?: ListAllParams<EventListParams>, options?: RequestOptions): AsyncIterable<Event>;

  /**
   * Returns one page of the event feed, oldest first: `{ data, has_more, cursor }`. For the next page pass `after:
   * cursor`, even if `data` is empty. New events are always after existing cursors, so you don't miss any. A
   * redelivered event appears again at the end.
   *
   * @example const { data, cursor } = await oriel.events.walk({ after: "now" });
   * @throws OrielInvalidRequestError for an invalid cursor, or if the limit isn't 1 to 100
   */
  walk(params: EventWalkParams, options?: RequestOptions): Promise<EventWalk>;

  /**
   * Iterates over the event feed up to the present in pages of 100, at least one page. Store a page's `cursor` after
   * processing the page, and start from it next time. You then don't miss events that happened while you were down.
   * Events that you processed without storing the cursor are returned again.
   *
   * @example
   * for await (const { data, cursor } of oriel.events.walkAll({ after: (await storedCursor()) ?? "start" })) {
   *   for (const event of data) await handle(event);
   *   await storeCursor(cursor);
   * }
   * @throws the errors of `walk`, during iteration
   */
  walkAll(params: EventWalkAllParams, options?: RequestOptions): AsyncIterable<EventWalk>;

  /**
   * Sends an event again with the same ID and sequence number: to one endpoint, or to every enabled endpoint for its
   * type and to the event feed.
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
