/**
 * Reads a page of a list: newest first, at most `limit` objects, after or before an ID. IDs sort by time, so a page is
 * a range of the primary key, however far down the list. One extra row shows whether there is another page.
 */
import { sql, type SelectQueryBuilder } from "kysely";
import type { List } from "@oriel/protocol/api";
import { ApiError } from "../errors.ts";
import type { Tables } from "./tables.ts";

export interface PageRequest {
  limit?: string | undefined;
  starting_after?: string | undefined;
  ending_before?: string | undefined;
}

/** @param query selects from one table, or from a join in which `table` is listed */
export async function listPage<TB extends keyof Tables, R, T>(
  page: PageRequest,
  table: TB,
  query: SelectQueryBuilder<Tables, TB, R>,
  toObject: (row: R) => T,
): Promise<List<T>> {
  const { starting_after: after, ending_before: before } = page;
  if (after !== undefined && before !== undefined) {
    throw new ApiError("parameter_invalid", "Send `starting_after` or `ending_before`, not both.", {
      param: "ending_before",
    });
  }
  const limit = Number(page.limit ?? "10");
  const id = sql.ref<string>(`${table}.id`);
  let range = query.limit(limit + 1).orderBy(id, before === undefined ? "desc" : "asc");
  if (after !== undefined) range = range.where(sql<boolean>`${id} < ${after}`);
  if (before !== undefined) range = range.where(sql<boolean>`${id} > ${before}`);
  const rows = await range.execute();
  const shown = rows.slice(0, limit);
  if (before !== undefined) shown.reverse();
  return { object: "list", data: shown.map(toObject), has_more: rows.length > limit };
}
