/** The versions of a session: the amount and the parts that it had before each change of them. */
import type { CheckoutSession } from "@oriel/protocol/api";
import type { Db, Tx } from "../../platform/storage/database.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { ownerColumns, tenantOf, type Tenant } from "../../platform/tenant.ts";
import { partsAsJson, type Money } from "./session-money.ts";

type Session = Row<"checkout_session">;

/** Stores the current version, before the session gets the columns of {@link nextVersion}. */
export async function storeVersion(tx: Tx, session: Session, before: Money, now: Date): Promise<void> {
  await tx
    .insertInto("session_version")
    .values({
      ...ownerColumns(tenantOf(session)),
      session_id: session.id,
      version: session.version,
      ...before,
      ...partsAsJson(before),
      replaced_at: now,
    })
    .execute();
}

/** The columns of the version that follows, once {@link storeVersion} has stored the current one. */
export function nextVersion({ version }: Session, money: Money) {
  return { ...money, ...partsAsJson(money), version: version + 1 };
}

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
