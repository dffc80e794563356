/** Fails a payment before authorization: 3-D Secure failed or the risk rules declined it. */
import { noCause } from "../../platform/cause.ts";
import type { PlatformContext } from "../../platform/context.ts";
import type { Tx } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { insertFailedCharge } from "../charges/charge-state.ts";
import { recordFailed } from "../charges/record-failed.ts";
import { returnToken } from "../risk/bucket.ts";
import { outcomeOf, recordOutcome } from "../risk/card-attempts.ts";
import { recordIfExpired } from "../sessions/record-expired.ts";
import { releaseAfterFailure } from "../sessions/session-state.ts";

/**
 * Runs in the transaction that declines `decision`. A payment with an amount gets a failed charge. Saving a card has no
 * charge.
 */
export async function failPayment(
  context: Pick<PlatformContext, "now">,
  tx: Tx,
  decision: Row<"decision">,
): Promise<void> {
  await recordOutcome(tx, decision.id, outcomeOf(decision.decline_code));
  await returnToken(tx, decision);
  if (decision.amount > 0) {
    await recordFailed(context, tx, await insertFailedCharge(tx, decision, context.now()), noCause);
  } else if (decision.session_id !== null) {
    await recordIfExpired(context, tx, await releaseAfterFailure(tx, decision.session_id, decision.id), noCause);
  }
}
