/**
 * Transaction A of a refund: reserves its amount on the charge, so concurrent requests can't refund more than was
 * captured.
 *
 * A request without an Idempotency-Key may be a repeat whose first response was lost. So it's refused while another
 * refund of the charge is processing.
 */
import type { CreateRefund } from "@oriel/protocol/api";
import { formatAmount } from "@oriel/protocol/currency";
import type { Cause } from "../../platform/cause.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { ApiError, missingInBody } from "../../platform/errors.ts";
import { claimOf, keyValues, type NewKey } from "../../platform/idempotency/idempotency.ts";
import { newId } from "../../platform/ids.ts";
import type { Db, Tx } from "../../platform/storage/database.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { newAttempt } from "../attempts/attempt-state.ts";
import type { BegunAttempt } from "../attempts/subject.ts";
import { operationInProgress } from "../charges/find-charge.ts";
import { startRefund } from "../refunds/start-refund.ts";

/**
 * Begins a refund in one statement, which also claims the request's idempotency key.
 *
 * @returns undefined if nothing was changed: another request has the key, or the charge doesn't allow the refund
 */
export async function beginRefundAtOnce(
  context: Pick<PlatformContext, "now" | "keys">,
  db: Db,
  tenant: Tenant,
  { charge_id, amount, reason }: CreateRefund,
  cause: Cause,
  key: NewKey | null,
): Promise<BegunAttempt | undefined> {
  const createdAt = context.now();
  const refund = { id: newId("re", createdAt, tenant), charge_id, amount: amount ?? null, reason: reason ?? null };
  const id = newId("att", createdAt, tenant);
  // The statement finds the decision, and the amount if everything that is left is refunded.
  const kind = { kind: "refund", charge_id, refund_id: refund.id, decision_id: "", amount: 0 } as const;
  const attempt = newAttempt(tenant, { id, ...kind }, cause, createdAt);
  const claim = keyValues(context, tenant, key, { attemptId: id });
  const begun = await startRefund(db, refund, attempt, claim);
  return begun && { ...begun, keyClaim: claimOf(tenant, claim) };
}

/**
 * Begins a refund as part of a transaction.
 *
 * @throws ApiError `charge_not_refundable`, `amount_too_large` or `charge_operation_in_progress`, without changing
 * anything
 */
export async function beginRefund(
  context: Pick<PlatformContext, "now" | "keys">,
  tx: Tx,
  tenant: Tenant,
  request: CreateRefund,
  cause: Cause,
): Promise<BegunAttempt> {
  const begun = await beginRefundAtOnce(context, tx, tenant, request, cause, null);
  if (begun === undefined) throw await refusalReason(tx, tenant, request, cause);
  return begun;
}

function possibleDuplicate({ id }: Pick<Row<"charge">, "id">): ApiError {
  return new ApiError(
    "charge_operation_in_progress",
    `Another refund of charge ${id} is in progress, and this request may be a duplicate. Wait for the refund's outcome, or send each refund with its own Idempotency-Key.`,
  );
}

async function refusalReason(
  tx: Tx,
  tenant: Tenant,
  { charge_id: chargeId, amount = 1 }: CreateRefund,
  { idempotencyKey }: Cause,
): Promise<ApiError> {
  const charge = await tx
    .selectFrom("charge")
    .selectAll()
    .where("id", "=", chargeId)
    .where(ownedBy(tenant))
    .executeTakeFirst();
  if (charge === undefined) return missingInBody("charge", chargeId, "charge_id");
  return refuseRefund(charge, amount, idempotencyKey);
}

type Refundable = Pick<
  Row<"charge">,
  "id" | "status" | "currency" | "amount_captured" | "amount_refunded" | "amount_refunding" | "pending_operation"
>;

/**
 * @param charge read just after the refund was refused. Another refund that was in progress may have failed in between.
 */
export function refuseRefund(charge: Refundable, amount: number, idempotencyKey: string | null): ApiError {
  const left = charge.amount_captured - charge.amount_refunded - charge.amount_refunding;
  if (charge.status === "succeeded" && left >= amount) {
    if (idempotencyKey === null && charge.amount_refunding > 0) return possibleDuplicate(charge);
    return operationInProgress(charge); // Another refund has just failed.
  }
  if (charge.status === "succeeded" && left > 0) {
    return new ApiError(
      "amount_too_large",
      `You can refund up to ${formatAmount(left, charge.currency, "en")} of charge ${charge.id}.`,
      {
        param: "amount",
      },
    );
  }
  return new ApiError(
    "charge_not_refundable",
    charge.status === "succeeded"
      ? `Charge ${charge.id} is already fully refunded, or refunds of the remaining amount are in progress.`
      : `Charge ${charge.id} has the status \`${charge.status}\`. You can refund a charge only after it is captured.`,
    { param: "charge_id" },
  );
}
