/**
 * Transaction A of a capture. A charge is captured once, in full or in part. The rest is released (`release-rest.ts`).
 * `occupy` decides whether it can be captured, and `refuseCapture` says why not.
 */
import type { CaptureCharge } from "@oriel/protocol/api";
import { formatAmount } from "@oriel/protocol/currency";
import type { Cause } from "../../platform/cause.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors.ts";
import { newId } from "../../platform/ids.ts";
import type { Tx } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { insertAttempt } from "../attempts/attempt-state.ts";
import { occupy } from "../charges/charge-state.ts";
import { findCharge, operationInProgress } from "../charges/find-charge.ts";

/**
 * @returns the attempt to run
 * @throws ApiError `charge_not_capturable`, `charge_operation_in_progress` or `amount_too_large`, without changing
 * anything
 */
export async function beginCapture(
  context: Pick<PlatformContext, "now">,
  tx: Tx,
  tenant: Tenant,
  chargeId: string,
  request: CaptureCharge,
  cause: Cause,
): Promise<string> {
  const id = newId("att", context.now(), tenant);
  const charge = await occupy(tx, tenant, chargeId, id, request.amount);
  if (charge === undefined) throw refuseCapture(await findCharge(tx, tenant, chargeId), request.amount ?? 0);
  const { decision_id } = charge;
  const amount = request.amount ?? charge.amount;
  await insertAttempt(context, tx, tenant, { id, kind: "capture", decision_id, charge_id: chargeId, amount }, cause);
  return id;
}

/** @param charge read just after the capture failed. Another capture that was in progress may have ended in between. */
export function refuseCapture(
  charge: Pick<Row<"charge">, "id" | "status" | "amount" | "currency" | "busy_attempt_id" | "pending_operation">,
  amount: number,
): ApiError {
  if (charge.busy_attempt_id !== null) return operationInProgress(charge);
  if (charge.status === "authorized" && amount > charge.amount) {
    const limit = formatAmount(charge.amount, charge.currency, "en");
    return new ApiError("amount_too_large", `You can capture up to ${limit} of charge ${charge.id}.`, {
      param: "amount",
    });
  }
  if (charge.status === "authorized") return operationInProgress(charge); // It was busy until a moment ago.
  return new ApiError(
    "charge_not_capturable",
    `Charge ${charge.id} has the status \`${charge.status}\`. You can capture a charge only while it is authorized. To authorize now and capture later, create the charge with \`capture_method: "manual"\`.`,
  );
}
