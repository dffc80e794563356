/**
 * A session of mode `setup` saves a card: the bank is asked whether it is good, with an authorisation of nothing. There is no charge and no
 * money; the decision is used up all the same, and a "no" counts as a failed try.
 */
import type { DeclineCode } from "@oriel/protocol/errors";
import { insertAttempt } from "../attempts/attempt-state.ts";
import { cardDeclined } from "../charges/decline.ts";
import { noCause, type Context } from "../context.ts";
import { consumeForVerification } from "../decisions/decision-state.ts";
import { newId } from "../ids.ts";
import { refusalAnswer, successAnswer, type StoredAnswer } from "../idempotency/stored-answer.ts";
import { savePaymentMethod } from "../payment-methods/payment-methods.ts";
import { toCheckoutSession } from "../sessions/session-object.ts";
import { recordIfExpired } from "../sessions/record-expired.ts";
import { complete, releaseAfterFailure } from "../sessions/session-state.ts";
import type { Tx } from "../storage/database.ts";
import type { Row } from "../storage/tables.ts";
import { tenantOf } from "../tenant.ts";
import { recordEvent } from "../webhooks/events.ts";

/** approved -> consumed. Returns the attempt to run. */
export async function beginVerification(
  context: Pick<Context, "jobs" | "now">,
  tx: Tx,
  decision: Row<"decision">,
): Promise<string> {
  await consumeForVerification(tx, decision.id);
  const { account_id, livemode, id: decision_id } = decision;
  const id = newId("att", context.now());
  const attempt = { id, account_id, livemode, kind: "verify", decision_id, charge_id: null, refund_id: null, amount: 0 } as const;
  await insertAttempt(context, tx, attempt, noCause);
  return id;
}

export async function settleVerification(
  context: Context,
  tx: Tx,
  attempt: Row<"attempt">,
  declineCode: DeclineCode | null,
): Promise<StoredAnswer> {
  const decision = await tx
    .selectFrom("decision")
    .select(["id", "session_id", "payment_method_id"])
    .where("id", "=", attempt.decision_id)
    .executeTakeFirstOrThrow();
  if (decision.session_id === null) throw new Error("Bug: a verification without its session");
  if (declineCode !== null) {
    await recordIfExpired(context, tx, await releaseAfterFailure(tx, decision.session_id, decision.id), noCause);
    return refusalAnswer(cardDeclined(declineCode));
  }
  const session = await complete(tx, decision.session_id, decision.id, "none");
  await savePaymentMethod(tx, decision.payment_method_id);
  const object = toCheckoutSession({ ...session, shown_payment_method_id: decision.payment_method_id }, context.now());
  await recordEvent(context, tx, tenantOf(attempt), { type: "checkout_session.completed", object }, noCause);
  return successAnswer(object);
}
