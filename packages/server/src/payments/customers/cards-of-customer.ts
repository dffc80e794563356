/**
 * The saved cards of a customer. A card gets its customer once, and both stay together: after the customer was deleted,
 * too.
 *
 * Attaching a card and deleting a customer both lock the customer first. So whichever comes second sees what the other
 * one did, and no deleted customer has a card that isn't detached.
 */
import type { AttachPaymentMethod, DeletedCustomer, List, PaymentMethod } from "@oriel/protocol/api";
import type { Cause } from "../../platform/cause.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { ApiError, missingInBody, missingInPath } from "../../platform/errors.ts";
import type { Db, Tx } from "../../platform/storage/database.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { recordEvent } from "../events/record-event.ts";
import {
  change,
  findPaymentMethod,
  lockPaymentMethod,
  toPaymentMethod,
  toSnapshot,
} from "../payment-methods/payment-methods.ts";
import { findCustomer, ownCustomers } from "./customers.ts";

/** All of them are on one page, and detached in one transaction. */
const maxCards = 100;

/** Last used first, then newest. */
export async function listCardsOfCustomer(
  { db }: Pick<PlatformContext, "db">,
  tenant: Tenant,
  id: string,
): Promise<List<PaymentMethod>> {
  await findCustomer(db, tenant, id); // 404
  const cards = await savedCards(db, tenant, id)
    .orderBy("last_used_at", (last) => last.desc().nullsLast())
    .orderBy("id", "desc")
    .execute();
  return { object: "list", data: cards.map(toPaymentMethod), has_more: false };
}

/**
 * Gives a saved card to a customer. Repeating the request has no further effect.
 *
 * @throws ApiError `resource_missing`, `payment_method_not_reusable`, or `parameter_invalid` if the card belongs to
 * another customer, or the customer has too many cards
 */
export async function attachPaymentMethod(
  context: Pick<PlatformContext, "now">,
  tx: Tx,
  tenant: Tenant,
  id: string,
  { customer_id }: AttachPaymentMethod,
  cause: Cause,
): Promise<PaymentMethod> {
  await findPaymentMethod(tx, tenant, id); // 404
  const customer = await ownCustomers(tx, tenant).where("id", "=", customer_id).forNoKeyUpdate().executeTakeFirst();
  if (customer === undefined) throw missingInBody("customer", customer_id, "customer_id");
  const card = await lockPaymentMethod(tx, tenant, id);
  if (card.customer_id !== null && card.customer_id !== customer_id) throw otherCustomer(card);
  if (!card.reusable) throw notSaved(card);
  if (card.customer_id === customer_id) return toPaymentMethod(card);
  const cards = await savedCards(tx, tenant, customer_id).execute();
  if (cards.length >= maxCards) throw tooManyCards(customer_id);
  return await change(context, tx, card, { customer_id }, "payment_method.attached", cause);
}

/**
 * Deletes a customer's personal data, and detaches all of their cards. The sweeper erases each card once no payment uses
 * it.
 */
export async function deleteCustomer(
  context: Pick<PlatformContext, "now">,
  tx: Tx,
  tenant: Tenant,
  id: string,
  cause: Cause,
): Promise<DeletedCustomer> {
  const deletedAt = context.now();
  const { numUpdatedRows } = await tx
    .updateTable("customer")
    .set({ deleted_at: deletedAt, reference: null, email: null, name: null, phone: null, metadata: "{}" })
    .where(ownedBy(tenant))
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw missingInPath("customer", id);
  const detached = await tx
    .updateTable("payment_method")
    .set({ reusable: false, detached_at: deletedAt })
    .where(ownedBy(tenant))
    .where("customer_id", "=", id)
    .where("reusable", "=", true)
    .returningAll()
    .execute();
  for (const card of detached) {
    const object = toSnapshot(card);
    await recordEvent(context, tx, tenant, { type: "payment_method.detached", object }, cause);
  }
  const object: DeletedCustomer = { id, object: "customer", deleted: true };
  await recordEvent(context, tx, tenant, { type: "customer.deleted", object }, cause);
  return object;
}

function savedCards(db: Db, tenant: Tenant, customerId: string) {
  return db
    .selectFrom("payment_method")
    .selectAll()
    .where(ownedBy(tenant))
    .where("customer_id", "=", customerId)
    .where("reusable", "=", true);
}

function otherCustomer({ id, customer_id }: Row<"payment_method">): ApiError {
  return new ApiError(
    "parameter_invalid",
    `Payment method ${id} belongs to the customer ${customer_id}. A card can't move to another customer.`,
    { param: "customer_id" },
  );
}

function notSaved({ id }: Row<"payment_method">): ApiError {
  return new ApiError(
    "payment_method_not_reusable",
    `Payment method ${id} isn't saved or has been detached, so it can't belong to a customer.`,
  );
}

function tooManyCards(customerId: string): ApiError {
  return new ApiError(
    "parameter_invalid",
    `Customer ${customerId} has ${maxCards} saved cards, which is the maximum. Detach one first.`,
    { param: "customer_id" },
  );
}
