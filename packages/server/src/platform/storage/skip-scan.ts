import { sql, type RawBuilder } from "kysely";

/**
 * The distinct values of an index's first columns, as a term of `with recursive`. It skips from one value to the next in
 * the index, so the number of rows with each value doesn't matter.
 *
 * @param name the name of the term, whose columns are `columns`
 * @param where the index's condition if it's partial
 * @example sql`with recursive ${skipScan("queued", "feed_queue", ["account_no", "livemode"])} select * from queued`
 */
export function skipScan(
  name: string,
  table: string,
  columns: readonly string[],
  where = sql<boolean>`true`,
): RawBuilder<unknown> {
  const listed = sql.join(columns.map((column) => sql.ref(column)));
  const previous = sql.join(columns.map((column) => sql.ref(`${name}.${column}`)));
  return sql`${sql.table(name)} as (
    (select ${listed} from ${sql.table(table)} where ${where} order by ${listed} limit 1)
    union all
    select next.* from ${sql.table(name)} cross join lateral (
      select ${listed} from ${sql.table(table)}
      where ${where} and (${listed}) > (${previous}) order by ${listed} limit 1
    ) next
  )`;
}

/** The endpoints with pending deliveries, as the term `waiting (account_no, livemode, endpoint_id)`. */
export const waitingEndpoints = skipScan(
  "waiting",
  "delivery",
  ["account_no", "livemode", "endpoint_id"],
  sql<boolean>`status = 'pending'`,
);
