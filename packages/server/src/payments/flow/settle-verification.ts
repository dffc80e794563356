/**
 * Applies the outcome of a card verification to the session and the saved card. A decline counts as a failed payment.
 */
import type { PlatformContext } from "../../platform/context.ts";
import type { Tx } from "../../platform/storage/database.ts";
import { hasId } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";
import { causeOf } from "../attempts/attempt-state.ts";
import { recordEvent } from "../events/record-event.ts";
import { savePaymentMethod } from "../payment-methods/payment-methods.ts";
import { recordIfExpired } from "../sessions/record-expired.ts";
import { toCheckoutSession } from "../sessions/session-object.ts";
import { completeVerified, releaseAfterFailure } from "../sessions/session-state.ts";

export async function settleVerification(context: PlatformContext, tx: Tx, attempt: Row<"attempt">): Promise<void> {
  const { id, session_id, payment_method_id } = await tx
    .selectFrom("decision")
    .select(["id", "session_id", "payment_method_id"])
    .where(hasId(attempt.decision_id))
    .executeTakeFirstOrThrow();
  if (session_id === null) throw new Error(`Bug: attempt ${attempt.id} verifies a card but has no session`);
  if (attempt.decline_code !== null) {
    return await recordIfExpired(context, tx, await releaseAfterFailure(tx, session_id, id), causeOf(attempt));
  }
  const session = await completeVerified(tx, session_id, id);
  const isSaved = await savePaymentMethod(tx, payment_method_id);
  const object = toCheckoutSession(
    { ...session, shown_payment_method_id: isSaved ? payment_method_id : null },
    context.now(),
  );
  await recordEvent(context, tx, tenantOf(attempt), { type: "checkout_session.completed", object }, causeOf(attempt));
}
