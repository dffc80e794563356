/**
 * Fails a charge whose capture failed after it had succeeded, with its session and an event. As long as something of it
 * is refunded or being refunded, it stays as it is. So call this after a refund has failed, too.
 */
import { toChargeWithSession } from "../charges/charge-object.ts";
import { failLate } from "../charges/charge-state.ts";
import type { PaymentContext } from "../context.ts";
import { recordEvent } from "../events/record-event.ts";
import type { Cause } from "../../platform/cause.ts";
import type { Db, Tx } from "../../platform/storage/database.ts";
import { hasId } from "../../platform/storage/owned-by.ts";
import { tenantOf } from "../../platform/tenant.ts";
import { loseCapture } from "../sessions/session-state.ts";

type Context = Pick<PaymentContext, "now">;

/** @returns false if it stays as it is, for example because it was captured again, or has failed before */
export async function failLostCharge(context: Context, tx: Tx, chargeId: string, cause: Cause): Promise<boolean> {
  // A refund that is failing at the same time has to see the failed capture, or this has to see the failed refund.
  await tx.selectFrom("charge").select("id").where(hasId(chargeId)).forNoKeyUpdate().execute();
  if (!(await isCaptureLost(tx, chargeId))) return false;
  const failed = await failLate(tx, chargeId, "processing_error");
  if (failed === undefined) return false;
  const { session_id, decision_id } = failed;
  const session = session_id === null ? null : await loseCapture(tx, session_id, decision_id);
  const happening = { type: "charge.capture_failed", object: toChargeWithSession(failed, session) } as const;
  await recordEvent(context, tx, tenantOf(failed), happening, cause);
  return true;
}

/** A declined capture may have entries too, which balance each other. */
async function isCaptureLost(db: Db, chargeId: string): Promise<boolean> {
  const entries = await db
    .selectFrom("ledger_entry")
    .select(["kind", "amount"])
    .where(hasId(chargeId, "charge_id"))
    .where("kind", "in", ["capture", "capture_failed", "capture_repeated"])
    .execute();
  const captured = entries.reduce((sum, { amount }) => sum + amount, 0);
  return captured === 0 && entries.some(({ kind }) => kind === "capture_failed");
}
