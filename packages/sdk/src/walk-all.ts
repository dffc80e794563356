/**
 * Iterates over the event feed, oldest first, in pages of 100 up to the present.
 *
 * It yields pages instead of events, because the cursor belongs to the page. If you store `page.cursor` after
 * processing a page, you can stop at any moment and continue without a gap. Events that you processed without storing
 * the cursor are returned again. The next page is fetched when the previous one is processed. A response that would
 * cause an endless loop is an error.
 */
import type { EventType, EventWalk } from "@oriel/protocol/api";
import type { RequestOptions } from "./client-options.ts";
import { noProgress } from "./list-all.ts";

/** The position in the event feed, and filters. */
export interface EventWalkParams {
  /** `start`: from the first event. `now`: only new events. Otherwise the previous page's `cursor`, or an event ID. */
  after: string;
  /** Only events of this type. */
  type?: EventType;
  /** 1 to 100. Default: 10. */
  limit?: number;
}

/** The page size is fixed during iteration. */
export type EventWalkAllParams = Omit<EventWalkParams, "limit">;

export async function* walkAll(
  walk: (params: EventWalkParams, options?: RequestOptions) => Promise<EventWalk>,
  params: EventWalkAllParams,
  options?: RequestOptions,
): AsyncGenerator<EventWalk, void, undefined> {
  let { after } = params;
  if (typeof after !== "string" || after === "")
    throw new TypeError('Oriel: set `after` to "start", "now", an event ID or a cursor.');
  for (;;) {
    const page = await walk({ ...params, after, limit: 100 }, options);
    if (typeof page.cursor !== "string" || (page.has_more && page.cursor === after)) throw noProgress("event feed");
    yield page;
    if (!page.has_more) return;
    after = page.cursor;
  }
}
