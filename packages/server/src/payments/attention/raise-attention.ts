/** Asks a person to look at something, once for each kind and subject. */
import type { AttentionKind } from "@oriel/protocol/dashboard-acquirers";
import { newId } from "../../platform/ids.ts";
import type { Db } from "../../platform/storage/database.ts";
import { ownerColumns, type Tenant } from "../../platform/tenant.ts";

export interface Concern {
  kind: AttentionKind;
  /** The ID of what it's about: an attempt, a charge or an acquirer's notification. */
  subject: string;
  chargeId: string | null;
  attemptId: string | null;
  /** What is known. Never card data. */
  details: Record<string, string | number | null>;
}

/** @returns false if it was raised before, even if it's resolved */
export async function raiseAttention(db: Db, tenant: Tenant, concern: Concern, now: Date): Promise<boolean> {
  const { kind, subject, chargeId, attemptId, details } = concern;
  const raised = await db
    .insertInto("attention")
    .values({
      ...ownerColumns(tenant),
      id: newId("na", now, tenant),
      kind,
      subject,
      charge_id: chargeId,
      attempt_id: attemptId,
      details: JSON.stringify(details),
      created_at: now,
    })
    .onConflict((conflict) => conflict.columns(["account_no", "livemode", "kind", "subject"]).doNothing())
    .returning("id")
    .executeTakeFirst();
  return raised !== undefined;
}
