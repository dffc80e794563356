/** Asks a person to look at something, once for each kind and subject, or again after it was resolved. */
import { sql } from "kysely";
import type { AttentionKind } from "@oriel/protocol/dashboard-acquirers";
import { newId } from "../../platform/ids.ts";
import type { Db } from "../../platform/storage/database.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";
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

/**
 * The same for something that can happen again: only an open item counts. A resolved one stays in the list.
 *
 * @returns false if there's an open item
 */
export async function raiseAgain(db: Db, tenant: Tenant, concern: Concern, now: Date): Promise<boolean> {
  await db
    .updateTable("attention")
    .set({ subject: sql<string>`subject || ' ' || id` })
    .where(ownedBy(tenant))
    .where("kind", "=", concern.kind)
    .where("subject", "=", concern.subject)
    .where("resolved_at", "is not", null)
    .execute();
  return await raiseAttention(db, tenant, concern, now);
}
