/** A payment that ends before the bank is asked for money: 3-D Secure failed, or the risk rules said no. */
import { insertFailedCharge } from "../charges/charge-state.ts";
import { recordFailed } from "../charges/record-failed.ts";
import { noCause } from "../../platform/cause.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { outcomeOf, recordOutcome } from "../risk/card-tries.ts";
import { recordIfExpired } from "../sessions/record-expired.ts";
import { releaseAfterFailure } from "../sessions/session-state.ts";
import type { Tx } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";

/**
 * Part of the transaction that declines `decision`. Where money was to be taken a failed charge says so; saving a card
 * has none.
 */
export async function failPayment(
  context: Pick<PlatformContext, "jobs" | "now">,
  tx: Tx,
  decision: Row<"decision">,
): Promise<void> {
  await recordOutcome(tx, decision.id, outcomeOf(decision.decline_code));
  if (decision.amount > 0) {
    await recordFailed(context, tx, await insertFailedCharge(tx, decision, context.now()), noCause);
  } else if (decision.session_id !== null) {
    await recordIfExpired(context, tx, await releaseAfterFailure(tx, decision.session_id, decision.id), noCause);
  }
}
