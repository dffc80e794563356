/**
 * Transaction A of a refund: reserves its amount on the charge, so concurrent requests can't refund more than was
 * captured.
 *
 * A request without an Idempotency-Key may be a repeat whose first response was lost. So it's refused while another
 * refund of the charge is processing.
 */
import type { CreateRefund } from "@oriel/protocol/api";
import { formatAmount } from "@oriel/protocol/currency";
import { insertAttempt } from "../attempts/attempt-state.ts";
import { operationInProgress } from "../charges/find-charge.ts";
import { reserveRefund } from "../charges/charge-state.ts";
import type { Cause } from "../../platform/cause.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { ApiError, missingInBody } from "../../platform/errors.ts";
import { newId } from "../../platform/ids.ts";
import type { Tx } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { insertRefund } from "../refunds/refund-state.ts";

/**
 * @returns the attempt to run
 * @throws ApiError `charge_not_refundable`, `amount_too_large` or `charge_operation_in_progress`, without changing
 * anything
 */
export async function beginRefund(
  context: Pick<PlatformContext, "now">,
  tx: Tx,
  tenant: Tenant,
  request: CreateRefund,
  cause: Cause,
): Promise<string> {
  const reserved = await reserveRefund(tx, tenant, request.charge_id, request.amount);
  if (reserved === undefined) throw await whyNot(tx, tenant, request);
  const { charge, amount } = reserved;
  const isAnotherUndecided = charge.amount_refunding > amount;
  if (isAnotherUndecided && cause.idempotencyKey === null) throw possibleDuplicate(charge);
  const createdAt = context.now();
  const refundId = await insertRefund(tx, charge, { amount, reason: request.reason ?? null }, createdAt);
  const id = newId("att", createdAt, tenant);
  const { id: charge_id, decision_id } = charge;
  await insertAttempt(
    context,
    tx,
    tenant,
    { id, kind: "refund", decision_id, charge_id, refund_id: refundId, amount },
    cause,
  );
  return id;
}

function possibleDuplicate({ id }: Row<"charge">): ApiError {
  return new ApiError(
    "charge_operation_in_progress",
    `Another refund of charge ${id} is in progress, and this request may be a duplicate. Wait for the refund's outcome, or send each refund with its own Idempotency-Key.`,
  );
}

async function whyNot(tx: Tx, tenant: Tenant, { charge_id: chargeId, amount = 1 }: CreateRefund): Promise<ApiError> {
  const charge = await tx
    .selectFrom("charge")
    .selectAll()
    .where("id", "=", chargeId)
    .where(ownedBy(tenant))
    .executeTakeFirst();
  if (charge === undefined) return missingInBody("charge", chargeId, "charge_id");
  return refuseRefund(charge, amount);
}

type Refundable = Pick<
  Row<"charge">,
  "id" | "status" | "currency" | "amount_captured" | "amount_refunded" | "amount_refunding"
>;

/**
 * @param charge read just after the refund was refused. Another refund that was in progress may have failed in between.
 */
export function refuseRefund(charge: Refundable, amount: number): ApiError {
  const left = charge.amount_captured - charge.amount_refunded - charge.amount_refunding;
  // Enough is left only because another refund has just failed.
  if (charge.status === "succeeded" && left >= amount) return operationInProgress(charge);
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
