/**
 * The API's view of charges. Charges are created in `begin-charge.ts`, captured in `begin-capture.ts` and canceled in
 * `begin-cancellation.ts`.
 */
import type { Charge } from "@oriel/protocol/api";
import { listPage, type PageRequest } from "../../platform/storage/list-page.ts";
import { hasId, ownedBy } from "../../platform/storage/owned-by.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { toCharge } from "../charges/charge-object.ts";
import { findCharge } from "../charges/find-charge.ts";
import type { PaymentContext } from "../context.ts";
import { refreshAttempt } from "./wait-for-attempt.ts";

/**
 * If an outcome is unknown, checks with the acquirer first, for at most two seconds. The outcome of what the acquirer has
 * accepted comes in a notification.
 */
export async function retrieveCharge(context: PaymentContext, tenant: Tenant, id: string): Promise<Charge> {
  const charge = await findCharge(context.db, tenant, id);
  if (charge.status !== "processing" && charge.busy_attempt_id === null) return toCharge(charge);
  const open = await context.db
    .selectFrom("attempt")
    .select("id")
    .where(hasId(id, "charge_id"))
    .where("kind", "in", ["authorize", "capture", "cancel"])
    .where("status", "=", "processing")
    .where("accepted_at", "is", null)
    .executeTakeFirst();
  if (open !== undefined) await refreshAttempt(context, open.id);
  return toCharge(await findCharge(context.db, tenant, id));
}

export async function listCharges(
  { db }: Pick<PaymentContext, "db">,
  tenant: Tenant,
  page: PageRequest & { decision_id?: string | undefined; session_id?: string | undefined },
) {
  let charges = db.selectFrom("charge").selectAll().where(ownedBy(tenant));
  if (page.decision_id !== undefined) charges = charges.where("decision_id", "=", page.decision_id);
  if (page.session_id !== undefined) charges = charges.where("session_id", "=", page.session_id);
  return await listPage(page, "charge", charges, toCharge);
}
