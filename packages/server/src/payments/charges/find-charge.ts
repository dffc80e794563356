/** Finds a merchant's charge by ID, and builds the error for a busy charge. */
import { ApiError, missingInPath } from "../../platform/errors.ts";
import type { Db } from "../../platform/storage/database.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
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

/** @param charge says what it's waiting for if the acquirer has accepted that */
export function operationInProgress({
  id,
  pending_operation: pending,
}: Pick<Row<"charge">, "id" | "pending_operation">): ApiError {
  const message =
    pending === null
      ? `Another capture, cancellation or refund of charge ${id} is in progress. Wait for its outcome, then try again with a new Idempotency-Key.`
      : `The acquirer has accepted a ${pendingOperations[pending].name} of charge ${id} and hasn't completed it yet, which can take days. Wait for its outcome, which you receive as ${pendingOperations[pending].events}.`;
  return new ApiError("charge_operation_in_progress", message);
}

const pendingOperations = {
  capture: { name: "capture", events: "`payment.succeeded` or `charge.capture_failed`" },
  cancel: { name: "cancellation", events: "`charge.canceled` or `charge.cancel_failed`" },
};
