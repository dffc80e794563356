/** The API's and the dashboard's view of disputes. `record-dispute.ts` changes them. */
import type { Dispute } from "@oriel/protocol/api";
import type { DisputesQuery } from "@oriel/protocol/dashboard/acquirers";
import { missingInPath } from "../../platform/errors.ts";
import type { Db } from "../../platform/storage/database.ts";
import { listPage, type PageRequest } from "../../platform/storage/list-page.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";
import type { Tenant } from "../../platform/tenant.ts";
import type { PaymentContext } from "../context.ts";
import { toDispute } from "./dispute-object.ts";

/** @throws ApiError 404 `resource_missing` */
export async function retrieveDispute(
  { db }: Pick<PaymentContext, "db">,
  tenant: Tenant,
  id: string,
): Promise<Dispute> {
  const dispute = db.selectFrom("dispute").selectAll().where(ownedBy(tenant)).where("id", "=", id);
  const found = await dispute.executeTakeFirst();
  if (found === undefined) throw missingInPath("dispute", id);
  return toDispute(found);
}

/** Newest first. */
export async function listDisputes(
  { db }: Pick<PaymentContext, "db">,
  tenant: Tenant,
  page: PageRequest & { charge_id?: string | undefined; status?: DisputesQuery["status"] | undefined },
) {
  let disputes = db.selectFrom("dispute").selectAll().where(ownedBy(tenant));
  if (page.charge_id !== undefined) disputes = disputes.where("charge_id", "=", page.charge_id);
  if (page.status !== undefined) disputes = disputes.where("status", "=", page.status);
  return await listPage(page, "dispute", disputes, toDispute);
}

/** Oldest first. */
export async function disputesOf(db: Db, tenant: Tenant, chargeId: string): Promise<Dispute[]> {
  const disputes = db.selectFrom("dispute").selectAll().where(ownedBy(tenant)).where("charge_id", "=", chargeId);
  return (await disputes.orderBy("id").execute()).map(toDispute);
}
