import type { CheckoutSession } from "@oriel/protocol/api";
import type { Db } from "../../platform/storage/database.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";
import type { Tenant } from "../../platform/tenant.ts";

/** Returns a session with the amount and the parts that it had at a version. */
export async function sessionAtVersion(
  db: Db,
  tenant: Tenant,
  session: CheckoutSession,
  version: number,
): Promise<CheckoutSession> {
  if (version === session.version) return session;
  const replaced = await db
    .selectFrom("session_version")
    .select(["version", "amount", "line_items", "shipping_options", "shipping_option", "discounts", "tax_amount"])
    .where(ownedBy(tenant))
    .where("session_id", "=", session.id)
    .where("version", "=", version)
    .executeTakeFirst();
  return { ...session, ...replaced };
}
