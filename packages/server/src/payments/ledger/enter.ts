/**
 * Writes a ledger entry that isn't the outcome of an attempt: a failure after the outcome, or a dispute. A database
 * trigger writes the entries of approved attempts (`schema/acquirer-accounts.ts`).
 */
import type { LedgerEntry } from "@oriel/protocol/api";
import type { Tx } from "../../platform/storage/database.ts";
import { ownerColumns, type Tenant } from "../../platform/tenant.ts";

export interface NewLedgerEntry {
  chargeId: string;
  kind: LedgerEntry["kind"];
  /** The acquirer's ID of the movement. For a failure, the ID of the capture or refund. */
  reference: string;
  /** In the currency's smallest unit. Positive if it belongs to the merchant. Not 0. */
  amount: number;
  currency: string;
  /** The attempt that it's about, if there is one. */
  attemptId: string | null;
}

/** @returns false if the charge already has an entry of this kind with this reference */
export async function enterInLedger(tx: Tx, tenant: Tenant, entry: NewLedgerEntry, now: Date): Promise<boolean> {
  const { chargeId, kind, reference, amount, currency, attemptId } = entry;
  const entered = await tx
    .insertInto("ledger_entry")
    .values({
      ...ownerColumns(tenant),
      charge_id: chargeId,
      kind,
      reference,
      amount,
      currency,
      attempt_id: attemptId,
      created_at: now,
    })
    .onConflict((conflict) =>
      conflict.columns(["account_no", "livemode", "charge_id", "kind", "reference"]).doNothing(),
    )
    .returning("reference")
    .executeTakeFirst();
  return entered !== undefined;
}
