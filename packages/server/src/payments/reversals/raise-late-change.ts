/** Adds to "Needs attention" what has become of a capture or refund after its outcome, usually once for each. */
import type { EmailContext } from "../../merchants/emails/outbox.ts";
import type { Tx } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";
import { raiseAttention } from "../attention/raise-attention.ts";
import { chargeOf } from "./late-captures.ts";

/**
 * @param repetition the acquirer's ID of a capture or refund that succeeded after the first one had failed, if it's about
 *   that one
 * @param raise `raiseAgain` if it's reported again, so that only an open item counts
 * @returns false if it was raised before
 */
export async function raiseLateChange(
  context: EmailContext,
  tx: Tx,
  attempt: Row<"attempt">,
  kind: "capture_failed_late" | "refund_failed_late" | "captured_again" | "refunded_again",
  repetition: string | null = null,
  raise = raiseAttention,
): Promise<boolean> {
  const { id, charge_id: chargeId, acquirer_id, amount } = attempt;
  const { currency } = await chargeOf(tx, attempt);
  const details = { reference: id, acquirer_id: repetition ?? acquirer_id, amount, currency };
  const subject = repetition === null ? id : `${id} ${repetition}`;
  return await raise(context, tx, tenantOf(attempt), { kind, subject, chargeId, attemptId: id, details });
}
