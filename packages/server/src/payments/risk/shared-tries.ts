/**
 * The part of a card try that is counted across all accounts of a mode: the card and the network. These rows belong to
 * no account and contain no merchant's data.
 */
import { sql } from "kysely";
import type { Db } from "../../platform/storage/database.ts";
import type { Tenant } from "../../platform/tenant.ts";

/**
 * The card's fingerprint, as the accounts of a mode count it. In test mode, where everyone uses the same few numbers,
 * each account counts only its own tries.
 */
export function sharedCard({ accountNo, livemode }: Tenant, fingerprint: Buffer): Buffer {
  if (livemode) return fingerprint;
  const account = Buffer.alloc(8);
  account.writeBigInt64BE(BigInt(accountNo));
  return Buffer.concat([account, fingerprint]);
}

/** Remembers that the card was declined. */
export async function shareDecline(db: Db, decisionId: string): Promise<void> {
  await db.updateTable("shared_try").set({ is_declined: true }).where("decision_id", "=", decisionId).execute();
}

export async function deleteShared(db: Db, decisionId: string): Promise<void> {
  await db.deleteFrom("shared_try").where("decision_id", "=", decisionId).execute();
}

/** Deletes the oldest rows. @returns how many were deleted */
export async function deleteOldShared(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from shared_try where decision_id in (
      select decision_id from shared_try where created_at <= ${before} order by created_at limit ${limit}
      for update skip locked
    )`.execute(db);
  return Number(numAffectedRows ?? 0);
}
