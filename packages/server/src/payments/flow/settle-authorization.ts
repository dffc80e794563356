/** Applies the outcome of an authorization to the charge, its session, and the card if it's saved. */
import { causeOf } from "../attempts/attempt-state.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { savePaymentMethod } from "../payment-methods/payment-methods.ts";
import { complete } from "../sessions/session-state.ts";
import type { Tx } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";
import { recordEvent } from "../events/record-event.ts";
import { toChargeWithSession } from "../charges/charge-object.ts";
import { approve, fail } from "../charges/charge-state.ts";
import { recordFailed } from "../charges/record-failed.ts";

export async function settleAuthorization(context: PlatformContext, tx: Tx, attempt: Row<"attempt">): Promise<void> {
  const { charge_id: id, decline_code } = attempt;
  if (id === null) throw new Error(`Bug: attempt ${attempt.id} has no charge`);
  if (decline_code !== null) return await recordFailed(context, tx, await fail(tx, id, decline_code), causeOf(attempt));

  const charge = await approve(tx, id);
  const { session_id, decision_id, status } = charge;
  const paymentStatus = status === "succeeded" ? "paid" : "authorized";
  const session = session_id === null ? null : await complete(tx, session_id, decision_id, paymentStatus);
  if (session?.save_payment_method) await savePaymentMethod(tx, charge.payment_method_id);
  const type = status === "succeeded" ? "payment.succeeded" : "charge.authorized";
  await recordEvent(
    context,
    tx,
    tenantOf(charge),
    { type, object: toChargeWithSession(charge, session) },
    causeOf(attempt),
  );
}
