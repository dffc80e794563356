/**
 * A payment method is the token of a stored card. A saved payment method works until it's detached. Any other works
 * only in its own session, and its card is erased when the payment is over. Saved ones can belong to a customer
 * (`customers/`).
 */
import type { UpdateObject } from "kysely";
import type {
  PaymentMethod,
  PaymentMethodEventType,
  PaymentMethodSnapshot,
  UpdatePaymentMethod,
} from "@oriel/protocol/api";
import type { SavedPaymentMethod } from "@oriel/protocol/dashboard/payments";
import type { Cause } from "../../platform/cause.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { missingInPath } from "../../platform/errors.ts";
import type { Db, Tx } from "../../platform/storage/database.ts";
import { listPage, type PageRequest } from "../../platform/storage/list-page.ts";
import { hasId, hasKey, ownedBy } from "../../platform/storage/owned-by.ts";
import type { Row, Tables } from "../../platform/storage/tables.ts";
import { tenantOf, type Tenant } from "../../platform/tenant.ts";
import { unixSeconds } from "../../platform/unix-seconds.ts";
import { recordEvent } from "../events/record-event.ts";
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

/** Changes the fields that the request has. */
export async function updatePaymentMethod(
  context: Pick<PlatformContext, "now">,
  tx: Tx,
  tenant: Tenant,
  id: string,
  { removable_by_customer }: UpdatePaymentMethod,
  cause: Cause,
): Promise<PaymentMethod> {
  const row = await lockPaymentMethod(tx, tenant, id);
  // So that repeating a request has no further effect.
  if (removable_by_customer === undefined || removable_by_customer === row.removable_by_customer)
    return toPaymentMethod(row);
  return await change(context, tx, row, { removable_by_customer }, "payment_method.updated", cause);
}

/**
 * Detaches a payment method permanently: it can't be used for new decisions. The sweeper erases the card once no
 * payment uses it.
 */
export async function detachPaymentMethod(
  context: Pick<PlatformContext, "now">,
  tx: Tx,
  tenant: Tenant,
  id: string,
  cause: Cause,
): Promise<PaymentMethod> {
  const row = await lockPaymentMethod(tx, tenant, id);
  if (row.detached_at !== null) return toPaymentMethod(row);
  const detached = { reusable: false, detached_at: context.now() };
  return await change(context, tx, row, detached, "payment_method.detached", cause);
}

/**
 * Changes a payment method and records the event.
 *
 * @param row a locked row
 */
export async function change(
  context: Pick<PlatformContext, "now">,
  tx: Tx,
  row: Row<"payment_method">,
  changes: UpdateObject<Tables, "payment_method">,
  type: PaymentMethodEventType,
  cause: Cause,
): Promise<PaymentMethod> {
  const changed = await tx
    .updateTable("payment_method")
    .set(changes)
    .where(hasKey(row))
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordEvent(context, tx, tenantOf(row), { type, object: toSnapshot(changed) }, cause);
  return toPaymentMethod(changed);
}

/** @throws ApiError 404 `resource_missing` */
export async function lockPaymentMethod(tx: Tx, tenant: Tenant, id: string): Promise<Row<"payment_method">> {
  const row = await ownMethods(tx, tenant).where("id", "=", id).forNoKeyUpdate().executeTakeFirst();
  if (row === undefined) throw missingInPath("payment method", id);
  return row;
}

/** @throws ApiError 404 `resource_missing` */
export async function findPaymentMethod(db: Db, tenant: Tenant, id: string): Promise<Row<"payment_method">> {
  const row = await ownMethods(db, tenant).where("id", "=", id).executeTakeFirst();
  if (row === undefined) throw missingInPath("payment method", id);
  return row;
}

function ownMethods(db: Db, tenant: Tenant) {
  return db.selectFrom("payment_method").selectAll().where(ownedBy(tenant));
}

/** Without what is erased together with the card, and without the expiry date. */
export function toSnapshot(row: Row<"payment_method">): PaymentMethodSnapshot {
  const {
    exp_month: _month,
    exp_year: _year,
    billing_details: _billing,
    consent: _consent,
    ...shown
  } = toPaymentMethod(row);
  return shown;
}

export function toPaymentMethod(row: Row<"payment_method">): PaymentMethod {
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
