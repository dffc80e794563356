/** Cancels: lets go of what was reserved. Should the bank refuse, the charge stays `authorized`. */
import type { DeclineCode } from "@oriel/protocol/errors";
import { causeOf, insertAttempt } from "../attempts/attempt-state.ts";
import type { Cause, Context } from "../context.ts";
import { ApiError } from "../errors.ts";
import { newId } from "../ids.ts";
import { refusalAnswer, successAnswer, type StoredAnswer } from "../idempotency/stored-answer.ts";
import { settleReserved } from "../sessions/session-state.ts";
import type { Tx } from "../storage/database.ts";
import type { Row } from "../storage/tables.ts";
import { tenantOf, type Tenant } from "../tenant.ts";
import { recordEvent } from "../webhooks/events.ts";
import { operationInProgress } from "./capture-charge.ts";
import { toCharge, toChargeWithSession } from "./charge-object.ts";
import { cancel, free, occupy } from "./charge-state.ts";
import { cardDeclined } from "./decline.ts";
import { findCharge } from "./find-charge.ts";

/**
 * @returns the attempt to run
 * @throws ApiError `charge_not_cancelable`, `charge_operation_in_progress`; then nothing was changed
 */
export async function beginCancellation(
  context: Pick<Context, "jobs" | "now">,
  tx: Tx,
  tenant: Tenant,
  chargeId: string,
  cause: Cause,
): Promise<string> {
  const id = newId("att", context.now());
  const charge = await occupy(tx, tenant, chargeId, id, undefined);
  if (charge === undefined) throw whyNot(await findCharge(tx, tenant, chargeId));
  const { account_id, livemode, decision_id, amount } = charge;
  const attempt = {
    id,
    account_id,
    livemode,
    kind: "cancel",
    decision_id,
    charge_id: chargeId,
    refund_id: null,
    amount,
  } as const;
  await insertAttempt(context, tx, attempt, cause);
  return id;
}

/** authorized, busy -> canceled; or free again. */
export async function settleCancellation(
  context: Context,
  tx: Tx,
  attempt: Row<"attempt">,
  declineCode: DeclineCode | null,
): Promise<StoredAnswer> {
  const { charge_id: id } = attempt;
  if (id === null) throw new Error("Bug: a cancellation without its charge");
  if (declineCode !== null) {
    await free(tx, id, attempt.id);
    return refusalAnswer(cardDeclined(declineCode));
  }
  const charge = await cancel(tx, id, attempt.id);
  const session = charge.session_id === null ? null : await settleReserved(tx, charge.session_id, charge.decision_id, "unpaid");
  const canceled = { type: "charge.canceled", object: toChargeWithSession(charge, session) } as const;
  await recordEvent(context, tx, tenantOf(charge), canceled, causeOf(attempt));
  return successAnswer(toCharge(charge));
}

function whyNot(charge: Row<"charge">): ApiError {
  if (charge.busy_attempt_id !== null) return operationInProgress(charge);
  return new ApiError(
    "charge_not_cancelable",
    charge.status === "succeeded"
      ? `The money of the charge ${charge.id} was taken. Refund it instead: POST /api/v1/refunds.`
      : `The charge ${charge.id} is ${charge.status}. Only one that is authorized can be canceled.`,
  );
}
