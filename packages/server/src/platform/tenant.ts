/** The owner of data: an account and a mode. All keys of merchant data begin with these two. */
import type { Mode } from "@oriel/vault";

export interface Tenant {
  /** The account's key in the database, `account.account_no`. Responses and logs have the account's ID instead. */
  accountNo: number;
  livemode: boolean;
}

export function tenantOf(row: { account_no: number; livemode: boolean }): Tenant {
  return { accountNo: row.account_no, livemode: row.livemode };
}

/** The columns of a new row with this owner. */
export function ownerColumns({ accountNo, livemode }: Tenant): { account_no: number; livemode: boolean } {
  return { account_no: accountNo, livemode };
}

/** The mode by the name that the vault, keys and pages use. */
export function modeOf({ livemode }: Pick<Tenant, "livemode">): Mode {
  return livemode ? "live" : "test";
}
