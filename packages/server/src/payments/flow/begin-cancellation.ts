/**
 * Transaction A of a cancellation: releases the reserved amount. A charge that is still `processing` may not have
 * reserved anything yet. In that case its authorization is withdrawn and no cancellation is sent.
 */
import type { Charge } from "@oriel/protocol/api";
import type { Cause } from "../../platform/cause.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors.ts";
import { newId } from "../../platform/ids.ts";
import type { Tx } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { insertAttempt, withdrawAuthorization } from "../attempts/attempt-state.ts";
import { toCharge } from "../charges/charge-object.ts";
import { occupy } from "../charges/charge-state.ts";
import { findCharge, operationInProgress } from "../charges/find-charge.ts";

/**
 * @returns the attempt to run; for a withdrawn charge, also the charge to respond with
 * @throws ApiError `charge_not_cancelable` or `charge_operation_in_progress`, without changing anything
 */
export async function beginCancellation(
  context: Pick<PlatformContext, "now">,
  tx: Tx,
  tenant: Tenant,
  chargeId: string,
  cause: Cause,
): Promise<string | { attemptId: string; response: Charge }> {
  const id = newId("att", context.now(), tenant);
  const charge = await occupy(tx, tenant, chargeId, id, undefined);
  if (charge === undefined) {
    const found = await findCharge(tx, tenant, chargeId);
    const attemptId = found.status === "processing" ? await withdrawAuthorization(context, tx, chargeId) : undefined;
    if (attemptId === undefined) throw refusalReason(found);
    return { attemptId, response: toCharge(found) };
  }
  const { decision_id, amount } = charge;
  await insertAttempt(context, tx, tenant, { id, kind: "cancel", decision_id, charge_id: chargeId, amount }, cause);
  return id;
}

function refusalReason(charge: Row<"charge">): ApiError {
  // The charge was busy a moment ago, even if it's free by now.
  if (charge.status === "authorized") return operationInProgress(charge);
  return new ApiError(
    "charge_not_cancelable",
    charge.status === "succeeded"
      ? `Charge ${charge.id} has already been captured. Refund it instead: POST /api/v1/refunds.`
      : `Charge ${charge.id} has the status \`${charge.status}\`. You can cancel a charge only while it is authorized or processing.`,
  );
}
