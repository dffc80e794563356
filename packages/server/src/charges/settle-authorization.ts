/** What the bank's answer to an authorisation changes: the charge, its session, and the card that is to be kept. */
import type { DeclineCode } from "@oriel/protocol/errors";
import { causeOf } from "../attempts/attempt-state.ts";
import type { Context } from "../context.ts";
import { refusalAnswer, successAnswer, type StoredAnswer } from "../idempotency/stored-answer.ts";
import { savePaymentMethod } from "../payment-methods/payment-methods.ts";
import { complete } from "../sessions/session-state.ts";
import type { Tx } from "../storage/database.ts";
import type { Row } from "../storage/tables.ts";
import { tenantOf } from "../tenant.ts";
import { recordEvent } from "../webhooks/events.ts";
import { toCharge, toChargeWithSession } from "./charge-object.ts";
import { fail, reserve, succeed } from "./charge-state.ts";
import { cardDeclined } from "./decline.ts";
import { failPayment } from "./fail-payment.ts";
import { chargeOf } from "./find-charge.ts";

export async function settleAuthorization(
  context: Context,
  tx: Tx,
  attempt: Row<"attempt">,
  declineCode: DeclineCode | null,
): Promise<StoredAnswer> {
  const { id, capture_method } = await chargeOf(tx, attempt);
  if (declineCode !== null) {
    await failPayment(context, tx, await fail(tx, id, declineCode), causeOf(attempt));
    return refusalAnswer(cardDeclined(declineCode));
  }
  const isTaken = capture_method === "automatic";
  const charge = await (isTaken ? succeed : reserve)(tx, id);
  const session =
    charge.session_id === null
      ? null
      : await complete(tx, charge.session_id, charge.decision_id, isTaken ? "paid" : "authorized");
  if (session?.save_payment_method) await savePaymentMethod(tx, charge.payment_method_id);
  const type = isTaken ? "payment.succeeded" : "charge.authorized";
  await recordEvent(context, tx, tenantOf(charge), { type, object: toChargeWithSession(charge, session) }, causeOf(attempt));
  return successAnswer(toCharge(charge));
}
