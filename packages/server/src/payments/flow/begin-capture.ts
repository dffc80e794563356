/** Transaction A of a capture: captures what was reserved, once, in full or in part. The bank releases the rest. */
import type { CaptureCharge } from "@oriel/protocol/api";
import { insertAttempt } from "../attempts/attempt-state.ts";
import type { Cause } from "../../platform/cause.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors.ts";
import { newId } from "../../platform/ids.ts";
import type { Tx } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { occupy } from "../charges/charge-state.ts";
import { findCharge, operationInProgress } from "../charges/find-charge.ts";

/**
 * @returns the attempt to run
 * @throws ApiError `charge_not_capturable`, `charge_operation_in_progress`, `amount_too_large`; then nothing was
 *   changed
 */
export async function beginCapture(
  context: Pick<PlatformContext, "now">,
  tx: Tx,
  tenant: Tenant,
  chargeId: string,
  request: CaptureCharge,
  cause: Cause,
): Promise<string> {
  const id = newId("att", context.now());
  const charge = await occupy(tx, tenant, chargeId, id, request.amount);
  if (charge === undefined) throw refuseCapture(await findCharge(tx, tenant, chargeId), request.amount ?? 0);
  const { decision_id } = charge;
  const amount = request.amount ?? charge.amount;
  await insertAttempt(context, tx, tenant, { id, kind: "capture", decision_id, charge_id: chargeId, amount }, cause);
  return id;
}

/**
 * @param charge as it is a moment after it couldn't be captured: another capture that was under way may have ended
 *   since
 */
export function refuseCapture(
  charge: Pick<Row<"charge">, "id" | "status" | "amount" | "busy_attempt_id">,
  amount: number,
): ApiError {
  if (charge.busy_attempt_id !== null) return operationInProgress(charge);
  if (charge.status === "authorized" && amount > charge.amount) {
    return new ApiError(
      "amount_too_large",
      `The charge reserved ${charge.amount}; no more than that can be captured.`,
      {
        param: "amount",
      },
    );
  }
  if (charge.status === "authorized") return operationInProgress(charge); // it was, a moment ago
  return new ApiError(
    "charge_not_capturable",
    `The charge ${charge.id} is ${charge.status}. Only one that is authorized can be captured: make it with \`capture_method: "manual"\`.`,
  );
}
