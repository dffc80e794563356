/**
 * Transaction A of a cancellation: releases what was reserved. A charge that is still `processing` isn't known to have
 * reserved anything, so it is withdrawn instead, without asking the bank.
 */
import type { Charge } from "@oriel/protocol/api";
import { insertAttempt, withdrawAuthorization } from "../attempts/attempt-state.ts";
import type { Cause } from "../../platform/cause.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors.ts";
import { newId } from "../../platform/ids.ts";
import type { Tx } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { occupy } from "../charges/charge-state.ts";
import { toCharge } from "../charges/charge-object.ts";
import { findCharge, operationInProgress } from "../charges/find-charge.ts";

/**
 * @returns the attempt to run; for a charge that is withdrawn also the charge, which is the answer
 * @throws ApiError `charge_not_cancelable`, `charge_operation_in_progress`; then nothing was changed
 */
export async function beginCancellation(
  context: Pick<PlatformContext, "jobs" | "now">,
  tx: Tx,
  tenant: Tenant,
  chargeId: string,
  cause: Cause,
): Promise<string | { attemptId: string; answer: Charge }> {
  const id = newId("att", context.now());
  const charge = await occupy(tx, tenant, chargeId, id, undefined);
  if (charge === undefined) {
    const found = await findCharge(tx, tenant, chargeId);
    const attemptId = found.status === "processing" ? await withdrawAuthorization(context, tx, chargeId) : undefined;
    if (attemptId === undefined) throw whyNot(found);
    return { attemptId, answer: toCharge(found) };
  }
  const { decision_id, amount } = charge;
  await insertAttempt(context, tx, tenant, { id, kind: "cancel", decision_id, charge_id: chargeId, amount }, cause);
  return id;
}

function whyNot(charge: Row<"charge">): ApiError {
  if (charge.status === "authorized") return operationInProgress(charge); // if it is free by now, it was busy a moment ago
  return new ApiError(
    "charge_not_cancelable",
    charge.status === "succeeded"
      ? `The money of the charge ${charge.id} was taken. Refund it instead: POST /api/v1/refunds.`
      : `The charge ${charge.id} is ${charge.status}. Only one that is authorized or processing can be canceled.`,
  );
}
