/** Continues a session's payment after its decision was approved, without a further request. */
import { noCause } from "../../platform/cause.ts";
import type { PlatformContext } from "../../platform/context.ts";
import type { Tx } from "../../platform/storage/database.ts";
import { hasId } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";
import type { AttemptToRun } from "../attempts/subject.ts";
import { beginCharge } from "./begin-charge.ts";
import { beginVerification } from "./begin-verification.ts";

/**
 * Starts the charge, or the verification of the card to save. Does nothing if the merchant's server creates the charge.
 * An amount of 0 needs no charge, so the card is then always verified here.
 *
 * @returns the attempt to run, or null
 */
export async function continuePayment(
  context: Pick<PlatformContext, "now" | "keys">,
  tx: Tx,
  decision: Row<"decision">,
): Promise<AttemptToRun | null> {
  if (decision.amount === 0) return await beginVerification(context, tx, decision);
  const session = await tx
    .selectFrom("checkout_session")
    .select("confirmation")
    .where(hasId(decision.session_id))
    .executeTakeFirstOrThrow();
  if (session.confirmation === "server") return null;
  const { amount, currency, payment_method_id, id: decision_id } = decision;
  const order = { amount, currency, payment_method_id, decision_id, capture_method: null, metadata: {} };
  return await beginCharge(context, tx, tenantOf(decision), order, noCause);
}
