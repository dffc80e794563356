/**
 * Iterates over a whole list, newest first, in pages of 100. The next page is fetched when the previous one is used up,
 * so leaving the loop early saves requests. A response that would cause an endless loop is an error.
 */
import type { List } from "@oriel/protocol/api";
import type { ListParams, RequestOptions } from "./client-options.ts";
import { OrielConnectionError } from "./oriel-error.ts";

/** The list's filters and the start position. The page size is fixed, and iteration only goes forward. */
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
    if (next === undefined || next === last) throw noProgress("list");
    last = next;
  }
}

/** @param what the list's name in the error message */
export function noProgress(what: "list" | "event feed"): OrielConnectionError {
  return new OrielConnectionError({
    code: "response_malformed",
    message: `The ${what} has more pages, but the response contains nothing new. Check that apiUrl is the payment service's URL.`,
    status: 200,
    idempotencyKey: null,
    retries: 0,
  });
}
