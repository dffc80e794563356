/** A try that ends before the bank is asked for money: 3-D Secure failed, or the risk rules said no. */
import type { DeclineCode } from "@oriel/protocol/errors";
import { insertFailedCharge } from "../charges/charge-state.ts";
import { failPayment } from "../charges/fail-payment.ts";
import { noCause, type Context } from "../context.ts";
import { outcomeOf, recordOutcome } from "../risk/card-tries.ts";
import { recordIfExpired } from "../sessions/record-expired.ts";
import { releaseAfterFailure } from "../sessions/session-state.ts";
import type { Tx } from "../storage/database.ts";
import type { Row } from "../storage/tables.ts";
import { eraseCard } from "./erase-card.ts";

/** Part of the transaction that declines `decision`. Where money was to be taken a failed charge says so; saving a card has none. */
export async function failTry(context: Pick<Context, "jobs" | "now">, tx: Tx, decision: Row<"decision">): Promise<void> {
  if (decision.amount > 0) {
    await failPayment(context, tx, await insertFailedCharge(tx, decision, context.now()), noCause);
  } else if (decision.session_id !== null) {
    await recordIfExpired(context, tx, await releaseAfterFailure(tx, decision.session_id, decision.id), noCause);
  }
}

/** After that transaction: risk remembers how it ended, and the card is not needed any more. */
export async function endTry(
  context: Context,
  decisionId: string,
  declineCode: DeclineCode,
  paymentMethodId: string,
): Promise<void> {
  await recordOutcome(context.db, decisionId, outcomeOf(declineCode));
  await eraseCard(context, paymentMethodId);
}
