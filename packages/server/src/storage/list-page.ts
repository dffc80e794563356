/**
 * Lists: newest first, at most `limit`, going on after or before an id. Ids sort by time, so a page is a range of the primary key however
 * deep it lies. One row more than asked for tells whether there is another page.
 */
import type { List } from "@oriel/protocol/api";
import { ApiError } from "../errors.ts";

export interface PageRequest {
  limit?: string | undefined;
  starting_after?: string | undefined;
  ending_before?: string | undefined;
}

/** What a query has to respect. `before` asks for ascending order, from the cursor upwards. */
export interface Range {
  after: string | null;
  before: string | null;
  limit: number;
}

export async function listPage<R, T>(
  page: PageRequest,
  toObject: (row: R) => T,
  fetchRows: (range: Range) => Promise<R[]>,
): Promise<List<T>> {
  if (page.starting_after !== undefined && page.ending_before !== undefined) {
    throw new ApiError("parameter_invalid", "Send `starting_after` or `ending_before`, not both.", { param: "ending_before" });
  }
  const limit = Number(page.limit ?? "10");
  const before = page.ending_before ?? null;
  const rows = await fetchRows({ after: page.starting_after ?? null, before, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  if (before !== null) shown.reverse();
  return { object: "list", data: shown.map(toObject), has_more: rows.length > limit };
}
