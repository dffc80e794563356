/**
 * The owner of data: an account and a mode. Every query of merchant data goes through {@link ownedBy}, so that none can
 * omit either.
 */
import type { Mode } from "@oriel/vault";
import { sql, type RawBuilder } from "kysely";

export interface Tenant {
  accountId: string;
  livemode: boolean;
}

/** A condition for `where`, on any table with an owner. */
export function ownedBy({ accountId, livemode }: Tenant): RawBuilder<boolean> {
  return sql<boolean>`(account_id = ${accountId} and livemode = ${livemode})`;
}

export function tenantOf(row: { account_id: string; livemode: boolean }): Tenant {
  return { accountId: row.account_id, livemode: row.livemode };
}

/** The mode by the name that the vault, keys and pages use. */
export function modeOf({ livemode }: Pick<Tenant, "livemode">): Mode {
  return livemode ? "live" : "test";
}
