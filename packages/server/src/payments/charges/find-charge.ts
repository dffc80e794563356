/** Finds a merchant's charge by ID, and builds the error for a busy charge. */
import { ApiError, missingInPath } from "../../platform/errors.ts";
import type { Db } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";
import type { Tenant } from "../../platform/tenant.ts";

/** @throws ApiError 404 `resource_missing` */
export async function findCharge(db: Db, tenant: Tenant, id: string): Promise<Row<"charge">> {
  const charge = await db
    .selectFrom("charge")
    .selectAll()
    .where("id", "=", id)
    .where(ownedBy(tenant))
    .executeTakeFirst();
  if (charge === undefined) throw missingInPath("charge", id);
  return charge;
}

export function operationInProgress({ id }: Pick<Row<"charge">, "id">): ApiError {
  return new ApiError(
    "charge_operation_in_progress",
    `Another capture, cancellation or refund of charge ${id} is in progress. Wait for its outcome, then try again with a new Idempotency-Key.`,
  );
}
