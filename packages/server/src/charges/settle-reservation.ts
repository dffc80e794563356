/**
 * What the bank's answer to a capture or a cancellation changes: the charge and its session. Should the bank refuse, the charge stays
 * `authorized`, free for another try.
 */
import { causeOf } from "../attempts/attempt-state.ts";
import type { Context } from "../context.ts";
import { settleReserved } from "../sessions/session-state.ts";
import type { Tx } from "../storage/database.ts";
import type { Row } from "../storage/tables.ts";
import { tenantOf } from "../tenant.ts";
import { recordEvent } from "../webhooks/record-event.ts";
import { toChargeWithSession } from "./charge-object.ts";
import { cancel, capture, free } from "./charge-state.ts";

export async function settleReservation(context: Context, tx: Tx, attempt: Row<"attempt">): Promise<void> {
  const { id: attemptId, charge_id: id, amount, kind } = attempt;
  if (id === null) throw new Error(`Bug: the attempt ${attemptId} is about no charge`);
  if (attempt.decline_code !== null) return await free(tx, id, attemptId);

  const isTaken = kind === "capture";
  const charge = isTaken ? await capture(tx, id, attemptId, amount) : await cancel(tx, id, attemptId);
  const { session_id, decision_id } = charge;
  const session = session_id === null ? null : await settleReserved(tx, session_id, decision_id, isTaken ? "paid" : "unpaid");
  const type = isTaken ? "payment.succeeded" : "charge.canceled";
  await recordEvent(context, tx, tenantOf(charge), { type, object: toChargeWithSession(charge, session) }, causeOf(attempt));
}
