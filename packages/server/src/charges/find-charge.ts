/** Looks charges up: the merchant's by its id, an attempt's by what the attempt says. */
import type { Context } from "../context.ts";
import { missingInPath } from "../errors.ts";
import type { Tx } from "../storage/database.ts";
import type { Row } from "../storage/tables.ts";
import { ownedBy, type Tenant } from "../tenant.ts";

/** @throws ApiError 404 */
export async function findCharge(db: Context["db"], tenant: Tenant, id: string): Promise<Row<"charge">> {
  const charge = await db.selectFrom("charge").selectAll().where("id", "=", id).where(ownedBy(tenant)).executeTakeFirst();
  if (charge === undefined) throw missingInPath("charge", id);
  return charge;
}

/** The charge that an attempt is about. */
export async function chargeOf(tx: Tx, attempt: Row<"attempt">): Promise<Row<"charge">> {
  return await tx.selectFrom("charge").selectAll().where("id", "=", attempt.charge_id).executeTakeFirstOrThrow();
}
