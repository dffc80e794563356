/**
 * The acquirer has accepted an attempt and reports the outcome later. The attempt stays `processing`, and the charge or
 * refund says what it's waiting for. That's also the response to the original request, for good: the outcome is an
 * event.
 */
import type { AcquirerDetails } from "@oriel/vault";
import { storeOutcome } from "../../platform/idempotency/idempotency.ts";
import type { StoredResponse } from "../../platform/idempotency/stored-response.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { accept } from "../attempts/attempt-state.ts";
import type { Resolves } from "../attempts/send-limits.ts";
import { recordAccepted } from "../charges/charge-state.ts";
import type { PaymentContext } from "../context.ts";
import { accept as acceptRefund } from "../refunds/refund-state.ts";
import { readOutcome } from "./read-outcome.ts";
import { isOfRest } from "./release-rest.ts";

/**
 * @returns the response to the original request; null if it has none, or if the attempt was accepted before or has its
 *   outcome
 */
export async function acceptAttempt(
  context: PaymentContext,
  attempt: Row<"attempt">,
  details: AcquirerDetails,
  resolves: Resolves,
): Promise<StoredResponse | null> {
  return await context.db.transaction().execute(async (tx) => {
    const accepted = await accept(tx, attempt, details, resolves, context.now());
    if (accepted === undefined) return null;
    const { kind, charge_id, refund_id } = accepted;
    if (refund_id !== null) await acceptRefund(tx, refund_id);
    if (charge_id !== null && (kind === "capture" || kind === "cancel") && !(await isOfRest(tx, accepted)))
      await recordAccepted(tx, charge_id, attempt.id, kind);
    const response = await readOutcome(tx, accepted);
    if (response !== null) await storeOutcome(context, tx, accepted, response);
    return response;
  });
}
