/** Takes something off the list because it has resolved itself, for example because the outcome arrived. */
import type { AttentionKind } from "@oriel/protocol/api";
import type { Db } from "../../platform/storage/database.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";
import type { Tenant } from "../../platform/tenant.ts";

/**
 * Resolves open items of these kinds about a subject. One that a person is just resolving is left to them, because they
 * lock it before the attempt that it's about.
 */
export async function resolveItself(
  db: Db,
  tenant: Tenant,
  kinds: readonly AttentionKind[],
  subject: string,
  now: Date,
): Promise<void> {
  const open = db
    .selectFrom("attention")
    .select("id")
    .where(ownedBy(tenant))
    .where("kind", "in", kinds)
    .where("subject", "=", subject)
    .where("resolved_at", "is", null)
    .forUpdate()
    .skipLocked();
  await db.updateTable("attention").set({ resolved_at: now }).where(ownedBy(tenant)).where("id", "in", open).execute();
}
