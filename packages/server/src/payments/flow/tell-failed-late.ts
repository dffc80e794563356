/** Tells a person that a capture or refund has failed at the acquirer after it had succeeded, once for each. */
import { raiseAttention } from "../attention/raise-attention.ts";
import type { PaymentContext } from "../context.ts";
import type { Tx } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";
import { chargeOf } from "./late-captures.ts";

/** @returns false if the person was told before */
export async function tellFailedLate(
  { now }: Pick<PaymentContext, "now">,
  tx: Tx,
  attempt: Row<"attempt">,
  kind: "capture_failed_late" | "refund_failed_late",
): Promise<boolean> {
  const { id, charge_id: chargeId, acquirer_id, amount } = attempt;
  const { currency } = await chargeOf(tx, attempt);
  const details = { reference: id, acquirer_id, amount, currency };
  return await raiseAttention(tx, tenantOf(attempt), { kind, subject: id, chargeId, attemptId: id, details }, now());
}
