/**
 * The end of an authentication: the one latch that all of its ends go through, and what follows from it for the
 * payment, in one transaction. Whether it was the bank's word, the customer's cancellation or the time that ended it:
 * the first is the only one.
 */
import type { DeclineCode } from "@oriel/protocol/declines";
import type { Updateable } from "kysely";
import type { PlatformContext } from "../../../platform/context.ts";
import { approve, decline } from "../../decisions/decision-state.ts";
import { beginAutomatically } from "../begin-automatically.ts";
import { eraseCard } from "../../payment-methods/erase-card.ts";
import { failPayment } from "../fail-payment.ts";
import { isConfirmed } from "../../risk/assess.ts";
import type { Tx } from "../../../platform/storage/database.ts";
import type { Row, Tables, ThreeDSResult } from "../../../platform/storage/tables.ts";
import { judge } from "../../threeds/outcome.ts";
import { endStepUp, type Aftermath, type Ending } from "./step-up.ts";

/** What the bank's messages add to an authentication. */
export type BankFields = Pick<
  Updateable<Tables["authentication"]>,
  | "acs_trans_id"
  | "ds_trans_id"
  | "trans_status"
  | "trans_status_reason"
  | "challenge_cancel"
  | "eci"
  | "authentication_value"
  | "cardholder_info"
  | "rreq_digest"
>;

/**
 * Ends an authentication, with the bank's word or without one.
 *
 * @param overdue only if it is still in this state, and still overdue
 * @returns null for everybody but the first, for whom nothing was left to do
 */
export async function conclude(
  context: PlatformContext,
  authenticationId: string,
  result: ThreeDSResult,
  fields: BankFields = {},
  overdue?: Row<"authentication">["status"],
): Promise<{ attemptId: string | null } | null> {
  const aftermath = await context.db.transaction().execute(async (tx) => {
    let open = tx
      .updateTable("authentication")
      .set({ ...fields, status: "complete", result })
      .where("id", "=", authenticationId)
      .where("status", "!=", "complete");
    if (overdue !== undefined) open = open.where("status", "=", overdue).where("deadline", "<=", context.now());
    const authentication = await open.returningAll().executeTakeFirst();
    if (authentication === undefined) return null;

    const { decision_id, version, eci, asked, cardholder_info, trans_status_reason } = authentication;
    const verdict = judge(result, { policy: context.config.threeDSecure, transStatusReason: trans_status_reason });
    const ending: Ending = {
      outcome: { result, version, eci },
      refusal: verdict.ok ? null : verdict.declineCode,
      // What the bank said when it asked the customer is of no use once that is over.
      cardholderInfo: asked === null ? cardholder_info : null,
    };
    return authentication.is_step_up
      ? await endStepUp(context, tx, decision_id, ending)
      : await endFirst(context, tx, decision_id, ending);
  });
  if (aftermath === null) return null;
  const { attemptId, servedCard } = aftermath;
  if (servedCard !== null) await eraseCard(context, servedCard);
  return { attemptId };
}

/** The decision is made, and what follows from it begins. */
async function endFirst(
  context: PlatformContext,
  tx: Tx,
  id: string,
  { outcome, refusal, cardholderInfo }: Ending,
): Promise<Aftermath> {
  const declineCode = refusal ?? (await whyTooRisky(tx, id, outcome.result));
  if (declineCode === null) {
    const decision = await approve(tx, id, outcome, context.now());
    return { attemptId: await beginAutomatically(context, tx, decision), servedCard: null };
  }
  const decision = await decline(tx, id, outcome, declineCode, cardholderInfo);
  await failPayment(context, tx, decision);
  return { attemptId: null, servedCard: decision.payment_method_id };
}

/** A payment that is risky needs a bank that confirmed it; that none could be reached is then not enough. */
async function whyTooRisky(tx: Tx, decisionId: string, result: ThreeDSResult): Promise<DeclineCode | null> {
  const { risk_level } = await tx
    .selectFrom("decision")
    .select("risk_level")
    .where("id", "=", decisionId)
    .executeTakeFirstOrThrow();
  return isConfirmed(risk_level, result) ? null : "risk_rejected";
}
