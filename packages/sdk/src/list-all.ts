/**
 * Walks through a whole list, page by page of 100, newest first. The next page is asked for only when the one before is
 * used up, so leaving the loop leaves the rest unasked. It ends where the service says so; a service that would lead it
 * round in circles is an error.
 */
import type { List } from "@oriel/protocol/api";
import type { ListParams, RequestOptions } from "./client-options.ts";
import { OrielConnectionError } from "./oriel-error.ts";

/** A list's own filters, and where to go on: pages are cut here, and there is no way back. */
export type ListAllParams<P extends ListParams = ListParams> = Omit<P, "limit" | "ending_before">;

export async function* listAll<P extends ListParams, T extends { id: string }>(
  list: (params: ListAllParams<P> & { limit: number }, options?: RequestOptions) => Promise<List<T>>,
  params: ListAllParams<P>,
  options?: RequestOptions,
): AsyncGenerator<T, void, undefined> {
  let last: string | undefined;
  for (;;) {
    const page = await list(
      { ...params, ...(last === undefined ? {} : { starting_after: last }), limit: 100 },
      options,
    );
    yield* page.data;
    if (!page.has_more) return;
    const next = page.data.at(-1)?.id;
    if (next === undefined || next === last) throw goesNowhere("list");
    last = next;
  }
}

/** @param what the kind of thing that was walked through */
export function goesNowhere(what: "list" | "walk"): OrielConnectionError {
  return new OrielConnectionError({
    code: "response_malformed",
    message: `The ${what} says it has more and does not move on: is apiUrl the payment service?`,
    status: 200,
    idempotencyKey: null,
    retries: 0,
  });
}
