/** Events: what has happened, as webhooks tell it, for whoever missed one. */
import type { Event, EventType, List } from "@oriel/protocol/api";
import type { ListParams, RequestOptions } from "../client-options.ts";
import { listAll, type ListAllParams } from "../list-all.ts";
import type { Sender } from "../send-request.ts";

/** Which events: those of one type. */
export interface EventListParams extends ListParams {
  type?: EventType;
}

export interface Events {
  /**
   * One event, with its object as it was at that moment. Amounts are in the currency's smallest unit, times in unix seconds.
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
}

export function events({ get }: Sender): Events {
  const list: Events["list"] = (params = {}, options) => get(["events"], params, options);
  const endpoint: Events = {
    retrieve: (id, options) => get(["events", id], {}, options),
    list,
    listAll: (params = {}, options) => listAll(list, params, options),
  };
  return Object.freeze(endpoint);
}
