/**
 * A payment method is the token of a stored card. A saved payment method works until it's detached. Any other works
 * only in its own session, and its card is erased when the payment is over.
 */
import type { PaymentMethod } from "@oriel/protocol/api";
import type { SavedPaymentMethod } from "@oriel/protocol/dashboard/payments";
import type { PlatformContext } from "../../platform/context.ts";
import { missingInPath } from "../../platform/errors.ts";
import type { Db, Tx } from "../../platform/storage/database.ts";
import { listPage, type PageRequest } from "../../platform/storage/list-page.ts";
import { hasId, ownedBy } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { unixSeconds } from "../../platform/unix-seconds.ts";
import { customerEmail } from "../sessions/session-object.ts";

/**
 * Runs in the transaction in which the payment succeeds.
 *
 * @returns false if the card is already erased or the payment method was detached in the meantime
 */
export async function savePaymentMethod(tx: Tx, id: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("payment_method")
    .set({ reusable: true })
    .where(hasId(id))
    .where("card_erased_at", "is", null)
    .where("detached_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function retrievePaymentMethod(
  { db }: Pick<PlatformContext, "db">,
  tenant: Tenant,
  id: string,
): Promise<PaymentMethod> {
  return toPaymentMethod(await findPaymentMethod(db, tenant, id));
}

/** Lists saved payment methods with the customer email of the session that saved each one. */
export async function listSavedPaymentMethods({ db }: Pick<PlatformContext, "db">, tenant: Tenant, page: PageRequest) {
  const saved = db
    .selectFrom("payment_method")
    .selectAll()
    .select(({ selectFrom }) =>
      selectFrom("checkout_session as session")
        .select(customerEmail("session").as("email"))
        .where(ownedBy(tenant, "session"))
        .whereRef("session.id", "=", "payment_method.session_id")
        .as("customer_email"),
    )
    .where(ownedBy(tenant))
    .where("reusable", "=", true);
  return await listPage(page, "payment_method", saved, (row): SavedPaymentMethod => ({
    ...toPaymentMethod(row),
    customer_email: row.customer_email,
  }));
}

/**
 * Detaches a payment method permanently: it can't be used for new decisions. The sweeper erases the card once no
 * payment uses it.
 */
export async function detachPaymentMethod(
  { now }: Pick<PlatformContext, "now">,
  tx: Tx,
  tenant: Tenant,
  id: string,
): Promise<PaymentMethod> {
  await findPaymentMethod(tx, tenant, id);
  const row = await tx
    .updateTable("payment_method")
    .set({ reusable: false, detached_at: now() })
    .where(hasId(id))
    .returningAll()
    .executeTakeFirstOrThrow();
  return toPaymentMethod(row);
}

async function findPaymentMethod(db: Db, tenant: Tenant, id: string): Promise<Row<"payment_method">> {
  const row = await db
    .selectFrom("payment_method")
    .selectAll()
    .where("id", "=", id)
    .where(ownedBy(tenant))
    .executeTakeFirst();
  if (row === undefined) throw missingInPath("payment method", id);
  return row;
}

function toPaymentMethod(row: Row<"payment_method">): PaymentMethod {
  return {
    id: row.id,
    object: "payment_method",
    livemode: row.livemode,
    created: unixSeconds(row.created_at),
    brand: row.brand,
    last4: row.last4,
    exp_month: row.exp_month,
    exp_year: row.exp_year,
    network: row.network,
    billing_details: row.billing_details,
    session_id: row.session_id,
    reusable: row.reusable,
    customer_id: row.customer_id,
    usage: row.reusable ? (row.usage ?? "off_session") : null,
    consent: row.consent,
    removable_by_customer: row.removable_by_customer,
    last_used_at: row.last_used_at === null ? null : unixSeconds(row.last_used_at),
  };
}
