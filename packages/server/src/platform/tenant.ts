/**
 * Whose data it is. Every query of a merchant's data goes through {@link ownedBy}, so no query can forget one half of
 * it.
 */
import type { Mode } from "@oriel/vault";
import { sql, type RawBuilder } from "kysely";

export interface Tenant {
  accountId: string;
  livemode: boolean;
}

/** For `where`, on any table that has an owner. */
export function ownedBy({ accountId, livemode }: Tenant): RawBuilder<boolean> {
  return sql<boolean>`(account_id = ${accountId} and livemode = ${livemode})`;
}

export function tenantOf(row: { account_id: string; livemode: boolean }): Tenant {
  return { accountId: row.account_id, livemode: row.livemode };
}

/** By the name that the vault, keys and pages know it by. */
export function modeOf({ livemode }: Pick<Tenant, "livemode">): Mode {
  return livemode ? "live" : "test";
}
