/** The API's and the dashboard's view of the ledger. */
import type { LedgerEntry, List } from "@oriel/protocol/api";
import { missingInBody } from "../../platform/errors.ts";
import type { Db } from "../../platform/storage/database.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";
import type { Tenant } from "../../platform/tenant.ts";
import type { PaymentContext } from "../context.ts";
import { toLedgerEntry } from "./ledger-object.ts";

/**
 * All entries of a charge in one page, oldest first. A charge has few of them.
 *
 * @throws ApiError `resource_missing` if there's no such charge
 */
export async function listLedgerEntries(
  { db }: Pick<PaymentContext, "db">,
  tenant: Tenant,
  chargeId: string,
): Promise<List<LedgerEntry>> {
  const charge = db.selectFrom("charge").select("id").where(ownedBy(tenant)).where("id", "=", chargeId);
  if ((await charge.executeTakeFirst()) === undefined) throw missingInBody("charge", chargeId, "charge_id");
  return { object: "list", data: await ledgerOf(db, tenant, chargeId), has_more: false };
}

/** Oldest first. */
export async function ledgerOf(db: Db, tenant: Tenant, chargeId: string): Promise<LedgerEntry[]> {
  const entries = db.selectFrom("ledger_entry").selectAll().where(ownedBy(tenant)).where("charge_id", "=", chargeId);
  const rows = await entries.orderBy("created_at").orderBy("kind").orderBy("reference").execute();
  return rows.map(toLedgerEntry);
}
