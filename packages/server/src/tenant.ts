/** Whose data it is. Every query of a merchant's data goes through {@link ownedBy}, so no query can forget one half of it. */
import { sql, type RawBuilder } from "kysely";

export interface Tenant {
  accountId: string;
  livemode: boolean;
}

/** For `where`, on any table that has an owner. Where tables are joined, `table` says whose columns are meant. */
export function ownedBy({ accountId, livemode }: Tenant, table?: string): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(table === undefined ? name : `${table}.${name}`);
  return sql<boolean>`(${column("account_id")} = ${accountId} and ${column("livemode")} = ${livemode})`;
}

export function tenantOf(row: { account_id: string; livemode: boolean }): Tenant {
  return { accountId: row.account_id, livemode: row.livemode };
}
