/**
 * Transaction A of a refund: its amount is put aside on the charge, so requests that race can't refund more than was
 * captured.
 *
 * A request without an Idempotency-Key may repeat the previous one, because its response was lost. So it is refused
 * while another refund of the charge is undecided.
 */
import type { CreateRefund } from "@oriel/protocol/api";
import { insertAttempt } from "../attempts/attempt-state.ts";
import { operationInProgress } from "../charges/find-charge.ts";
import { reserveRefund } from "../charges/charge-state.ts";
import type { Cause } from "../../platform/cause.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { ApiError, missingInBody } from "../../platform/errors.ts";
import { newId } from "../../platform/ids.ts";
import type { Tx } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { ownedBy, type Tenant } from "../../platform/tenant.ts";
import { insertRefund } from "../refunds/refund-state.ts";

/**
 * @returns the attempt to run
 * @throws ApiError `charge_not_refundable`, `amount_too_large`, `charge_operation_in_progress`; then nothing was
 *   changed
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
  if (isAnotherUndecided && cause.idempotencyKey === null) throw maybeSentAgain(charge);
  const createdAt = context.now();
  const refundId = await insertRefund(tx, charge, { amount, reason: request.reason ?? null }, createdAt);
  const id = newId("att", createdAt);
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

function maybeSentAgain({ id }: Row<"charge">): ApiError {
  return new ApiError(
    "charge_operation_in_progress",
    `A refund of the charge ${id} is under way. This may be the same one, sent again: wait for its outcome, or give each refund an Idempotency-Key of its own.`,
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

type Refundable = Pick<Row<"charge">, "id" | "status" | "amount_captured" | "amount_refunded" | "amount_refunding">;

/**
 * @param charge as it is a moment after it couldn't be refunded: another refund that was under way may have failed
 *   since
 */
export function refuseRefund(charge: Refundable, amount: number): ApiError {
  const left = charge.amount_captured - charge.amount_refunded - charge.amount_refunding;
  if (charge.status === "succeeded" && left >= amount) return operationInProgress(charge); // there is, now that another refund has failed
  if (charge.status === "succeeded" && left > 0) {
    return new ApiError("amount_too_large", `Of the charge ${charge.id} ${left} can still be refunded.`, {
      param: "amount",
    });
  }
  return new ApiError(
    "charge_not_refundable",
    charge.status === "succeeded"
      ? `All of the charge ${charge.id} is refunded, or being refunded.`
      : `The charge ${charge.id} is ${charge.status}: no money was taken that could be given back.`,
    { param: "charge_id" },
  );
}
