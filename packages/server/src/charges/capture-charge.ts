/**
 * Captures: takes what was reserved, once, all of it or a part; the bank lets the rest go. Should the bank refuse, the charge stays
 * `authorized` and may be tried again or canceled.
 */
import type { CaptureCharge } from "@oriel/protocol/api";
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
import { toCharge, toChargeWithSession } from "./charge-object.ts";
import { capture, free, occupy } from "./charge-state.ts";
import { cardDeclined } from "./decline.ts";
import { findCharge } from "./find-charge.ts";

/**
 * @returns the attempt to run
 * @throws ApiError `charge_not_capturable`, `charge_operation_in_progress`, `amount_too_large`; then nothing was changed
 */
export async function beginCapture(
  context: Pick<Context, "jobs" | "now">,
  tx: Tx,
  tenant: Tenant,
  chargeId: string,
  request: CaptureCharge,
  cause: Cause,
): Promise<string> {
  const id = newId("att", context.now());
  const charge = await occupy(tx, tenant, chargeId, id, request.amount);
  if (charge === undefined) throw whyNot(await findCharge(tx, tenant, chargeId), request.amount ?? 0);
  const { account_id, livemode, decision_id } = charge;
  const amount = request.amount ?? charge.amount;
  const attempt = {
    id,
    account_id,
    livemode,
    kind: "capture",
    decision_id,
    charge_id: chargeId,
    refund_id: null,
    amount,
  } as const;
  await insertAttempt(context, tx, attempt, cause);
  return id;
}

/** authorized, busy -> succeeded; or free again. */
export async function settleCapture(
  context: Context,
  tx: Tx,
  attempt: Row<"attempt">,
  declineCode: DeclineCode | null,
): Promise<StoredAnswer> {
  const { charge_id: id } = attempt;
  if (id === null) throw new Error("Bug: a capture without its charge");
  if (declineCode !== null) {
    await free(tx, id, attempt.id);
    return refusalAnswer(cardDeclined(declineCode));
  }
  const charge = await capture(tx, id, attempt.id, attempt.amount);
  const session = charge.session_id === null ? null : await settleReserved(tx, charge.session_id, charge.decision_id, "paid");
  const taken = { type: "payment.succeeded", object: toChargeWithSession(charge, session) } as const;
  await recordEvent(context, tx, tenantOf(charge), taken, causeOf(attempt));
  return successAnswer(toCharge(charge));
}

function whyNot(charge: Row<"charge">, amount: number): ApiError {
  if (charge.busy_attempt_id !== null) return operationInProgress(charge);
  if (charge.status === "authorized" && amount > charge.amount) {
    return new ApiError("amount_too_large", `The charge reserved ${charge.amount}; no more than that can be captured.`, {
      param: "amount",
    });
  }
  return new ApiError(
    "charge_not_capturable",
    `The charge ${charge.id} is ${charge.status}. Only one that is authorized can be captured: make it with \`capture_method: "manual"\`.`,
  );
}

export function operationInProgress({ id }: Row<"charge">): ApiError {
  return new ApiError(
    "charge_operation_in_progress",
    `Another capture or cancellation of the charge ${id} is under way. Wait for its outcome.`,
  );
}
