/**
 * Conditions for `where` that name the owner of the rows. Every query of merchant data uses one, so that it finds only
 * that owner's rows, through indexes that begin with the owner.
 */
import { sql, type RawBuilder } from "kysely";
import { tenantOfId } from "../ids.ts";
import { tenantOf, type Tenant } from "../tenant.ts";

/** Rows of this owner. `table` is needed if several tables are joined. */
export function ownedBy({ accountNo, livemode }: Tenant, table?: string): RawBuilder<boolean> {
  return sql<boolean>`(${column("account_no", table)} = ${accountNo} and ${column("livemode", table)} = ${livemode})`;
}

/**
 * The row with this ID, of the owner that the ID names, or the rows that refer to it. No row if the ID is null or names
 * no owner.
 *
 * @param reference the column with the ID
 * @example db.selectFrom("charge").where(hasId(chargeId))
 * @example db.selectFrom("refund").where(hasId(chargeId, "refund.charge_id"))
 */
export function hasId(id: string | null, reference = "id"): RawBuilder<boolean> {
  const owner = id === null ? undefined : tenantOfId(id);
  if (owner === undefined) return sql<boolean>`false`;
  const [table] = reference.includes(".") ? reference.split(".") : [];
  return sql<boolean>`(${ownedBy(owner, table)} and ${sql.ref(reference)} = ${id})`;
}

/** A row's primary key. */
export interface RowKey {
  account_no: number;
  livemode: boolean;
  id: string;
}

/** The row with this key, for rows that are already loaded, and for authentications, whose IDs don't name their owner. */
export function hasKey(row: RowKey): RawBuilder<boolean> {
  return sql<boolean>`(${ownedBy(tenantOf(row))} and id = ${row.id})`;
}

/**
 * For joins: the rows of both tables have the same owner.
 *
 * Don't use it for a page of a list with a known owner, but {@link ownedBy} for each table and a left or lateral join.
 * PostgreSQL shortens `livemode = true` to `livemode`. It then no longer sees that the joined column is constant, and
 * sorts all of the owner's rows instead of reading a page in the order of an index. Don't use it for a subquery in a list
 * of columns either: Citus would send the statement to all nodes.
 */
export function sameOwner(table: string, other: string): RawBuilder<boolean> {
  const same = (name: string) => sql`${column(name, table)} = ${column(name, other)}`;
  return sql<boolean>`(${same("account_no")} and ${same("livemode")})`;
}

function column(name: string, table: string | undefined): RawBuilder<unknown> {
  return sql.ref(table === undefined ? name : `${table}.${name}`);
}
