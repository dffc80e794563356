/** The API's view of refunds. */
import type { Refund } from "@oriel/protocol/api";
import { missingInPath } from "../../platform/errors.ts";
import { listPage, type PageRequest } from "../../platform/storage/list-page.ts";
import { hasId, ownedBy } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import type { Tenant } from "../../platform/tenant.ts";
import type { PaymentContext } from "../context.ts";
import { toRefund } from "../refunds/refund-object.ts";
import { refreshAttempt } from "./wait-for-attempt.ts";

/** If the outcome is unknown, checks with the acquirer first, for at most two seconds. */
export async function retrieveRefund(context: PaymentContext, tenant: Tenant, id: string): Promise<Refund> {
  const refund = await findRefund(context, tenant, id);
  if (refund.status !== "processing") return toRefund(refund);
  const attempt = context.db.selectFrom("attempt").select("id").where(hasId(id, "refund_id"));
  await refreshAttempt(context, (await attempt.executeTakeFirstOrThrow()).id);
  return toRefund(await findRefund(context, tenant, id));
}

export async function listRefunds(
  { db }: Pick<PaymentContext, "db">,
  tenant: Tenant,
  page: PageRequest & { charge_id?: string | undefined },
) {
  let refunds = db.selectFrom("refund").selectAll().where(ownedBy(tenant));
  if (page.charge_id !== undefined) refunds = refunds.where("charge_id", "=", page.charge_id);
  return await listPage(page, "refund", refunds, toRefund);
}

async function findRefund({ db }: Pick<PaymentContext, "db">, tenant: Tenant, id: string): Promise<Row<"refund">> {
  const refund = await db
    .selectFrom("refund")
    .selectAll()
    .where("id", "=", id)
    .where(ownedBy(tenant))
    .executeTakeFirst();
  if (refund === undefined) throw missingInPath("refund", id);
  return refund;
}
