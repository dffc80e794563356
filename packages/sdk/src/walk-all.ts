/**
 * Walks through all events, oldest first, page by page of 100, up to the present.
 *
 * It hands out pages and not events, because the cursor belongs to the page: whoever stores `page.cursor` after the
 * page is worked can be stopped at any moment, and goes on from there without a gap. What was worked and not stored
 * comes again. The next page is asked for only when the one before is done with. A service that would lead it round in
 * circles is an error.
 */
import type { EventType, EventWalk } from "@oriel/protocol/api";
import type { RequestOptions } from "./client-options.ts";
import { goesNowhere } from "./list-all.ts";

/** Where a walk goes on, and what it looks at. */
export interface EventWalkParams {
  /** `start`: before the first event. `now`: after the last. Else the `cursor` of the page before, or an event's id. */
  after: string;
  /** Only events of this type. */
  type?: EventType;
  /** 1 to 100. Default 10. */
  limit?: number;
}

/** A whole walk cuts its pages itself. */
export type EventWalkAllParams = Omit<EventWalkParams, "limit">;

export async function* walkAll(
  walk: (params: EventWalkParams, options?: RequestOptions) => Promise<EventWalk>,
  params: EventWalkAllParams,
  options?: RequestOptions,
): AsyncGenerator<EventWalk, void, undefined> {
  let { after } = params;
  if (typeof after !== "string" || after === "")
    throw new TypeError('Oriel: pass `after`: "start", "now", an event\'s id, or a cursor.');
  for (;;) {
    const page = await walk({ ...params, after, limit: 100 }, options);
    if (typeof page.cursor !== "string" || (page.has_more && page.cursor === after)) throw goesNowhere("walk");
    yield page;
    if (!page.has_more) return;
    after = page.cursor;
  }
}
