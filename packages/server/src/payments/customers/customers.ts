/**
 * A customer is a merchant's record of a person, which saved cards belong to (`cards-of-customer.ts`). Only the
 * merchant's server names a customer. Nothing in a page, a URL or an email that somebody typed finds one.
 */
import type { CreateCustomer, Customer, UpdateCustomer } from "@oriel/protocol/api";
import type { PlatformContext } from "../../platform/context.ts";
import { ApiError, missingInPath } from "../../platform/errors.ts";
import { newId } from "../../platform/ids.ts";
import { mergeMetadata } from "../../platform/merge-metadata.ts";
import type { Db, Tx } from "../../platform/storage/database.ts";
import { isUniqueViolation } from "../../platform/storage/is-unique-violation.ts";
import { listPage, type PageRequest } from "../../platform/storage/list-page.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { ownerColumns, type Tenant } from "../../platform/tenant.ts";
import { unixSeconds } from "../../platform/unix-seconds.ts";

export async function createCustomer(
  { now }: Pick<PlatformContext, "now">,
  tx: Tx,
  tenant: Tenant,
  { metadata = {}, ...fields }: CreateCustomer,
): Promise<Customer> {
  const createdAt = now();
  const row = await tx
    .insertInto("customer")
    .values({
      ...ownerColumns(tenant),
      id: newId("cus", createdAt, tenant),
      ...fields,
      metadata: JSON.stringify(metadata),
      created_at: createdAt,
    })
    // Waits for another transaction that inserts the same reference.
    .onConflict((conflict) => conflict.columns(["account_no", "livemode", "reference"]).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw await referenceTaken(tx, tenant, fields.reference);
  return toCustomer(row);
}

export async function retrieveCustomer(
  { db }: Pick<PlatformContext, "db">,
  tenant: Tenant,
  id: string,
): Promise<Customer> {
  return toCustomer(await findCustomer(db, tenant, id));
}

/** Newest first. */
export async function listCustomers(
  { db }: Pick<PlatformContext, "db">,
  tenant: Tenant,
  page: PageRequest & { reference?: string | undefined; email?: string | undefined },
) {
  let customers = ownCustomers(db, tenant);
  if (page.reference !== undefined) customers = customers.where("reference", "=", page.reference);
  if (page.email !== undefined) customers = customers.where("email", "=", page.email);
  return await listPage(page, "customer", customers, toCustomer);
}

/**
 * Changes the fields that the request has. Null clears a field.
 *
 * @throws ApiError `resource_missing`, or if another customer has the reference
 */
export async function updateCustomer(
  { db }: Pick<PlatformContext, "db">,
  tenant: Tenant,
  id: string,
  { metadata, ...fields }: UpdateCustomer,
): Promise<Customer> {
  try {
    return await db.transaction().execute(async (tx) => {
      const before = await ownCustomers(tx, tenant).where("id", "=", id).forNoKeyUpdate().executeTakeFirst();
      if (before === undefined) throw missingInPath("customer", id);
      const merged = mergeMetadata(before.metadata, metadata);
      const update = tx.updateTable("customer").set({ ...fields, metadata: JSON.stringify(merged) });
      const changed = update.where(ownedBy(tenant)).where("id", "=", id).returningAll();
      return toCustomer(await changed.executeTakeFirstOrThrow());
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw await referenceTaken(db, tenant, fields.reference);
    throw error;
  }
}

/** @throws ApiError 404 `resource_missing`, also if it was deleted */
export async function findCustomer(db: Db, tenant: Tenant, id: string): Promise<Row<"customer">> {
  const row = await ownCustomers(db, tenant).where("id", "=", id).executeTakeFirst();
  if (row === undefined) throw missingInPath("customer", id);
  return row;
}

export function ownCustomers(db: Db, tenant: Tenant) {
  return db.selectFrom("customer").selectAll().where(ownedBy(tenant)).where("deleted_at", "is", null);
}

async function referenceTaken(db: Db, tenant: Tenant, reference: string | null | undefined): Promise<ApiError> {
  const other = await ownCustomers(db, tenant).where("reference", "=", String(reference)).executeTakeFirst();
  return new ApiError(
    "parameter_invalid",
    // The other one may have been deleted or changed since.
    `Another customer${other === undefined ? "" : `, ${other.id},`} already has this \`reference\`. Use that customer, or choose another reference.`,
    { param: "reference" },
  );
}

function toCustomer(row: Row<"customer">): Customer {
  return {
    id: row.id,
    object: "customer",
    livemode: row.livemode,
    created: unixSeconds(row.created_at),
    reference: row.reference,
    email: row.email,
    name: row.name,
    phone: row.phone,
    metadata: row.metadata,
  };
}
