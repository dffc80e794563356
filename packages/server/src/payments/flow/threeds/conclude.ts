/**
 * Ends an authentication. A result, a cancellation by the customer or the deadline can end it, and only the first of
 * them counts. The payment is updated in the same transaction.
 */
import type { Updateable } from "kysely";
import type { DeclineCode } from "@oriel/protocol/declines";
import type { PlatformContext } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/storage/database.ts";
import { hasId, hasKey, type RowKey } from "../../../platform/storage/owned-by.ts";
import type { Row, Tables, ThreeDSResult } from "../../../platform/storage/tables.ts";
import type { AttemptToRun } from "../../attempts/subject.ts";
import { approve, decline } from "../../decisions/decision-state.ts";
import { eraseCard } from "../../payment-methods/erase-card.ts";
import { isConfirmed } from "../../risk/assess.ts";
import { judge, type Proof } from "../../threeds/outcome.ts";
import { continuePayment } from "../continue-payment.ts";
import { failPayment } from "../fail-payment.ts";
import { endStepUp, type FollowUp, type Ending } from "./step-up.ts";

/** The fields that 3-D Secure messages add to an authentication. */
export type MessageFields = Pick<
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
  | "version"
  | "server_trans_id"
>;

export interface ConcludeOptions {
  /** End it only if it's still in this state and overdue. */
  overdue?: Row<"authentication">["status"];
  /** Why the vendor refused the authentication. Default: what the result says. */
  declineCode?: DeclineCode;
}

/**
 * Ends an authentication, with or without a result from the issuer.
 *
 * @returns null if the authentication had already ended
 */
export async function conclude(
  context: PlatformContext,
  key: RowKey,
  result: ThreeDSResult,
  fields: MessageFields = {},
  { overdue, declineCode }: ConcludeOptions = {},
): Promise<{ attempt: AttemptToRun | null } | null> {
  const followUp = await context.db.transaction().execute(async (tx) => {
    let open = tx
      .updateTable("authentication")
      .set({ ...fields, status: "complete", result, vendor_state: null })
      .where(hasKey(key))
      .where("status", "!=", "complete");
    if (overdue !== undefined) open = open.where("status", "=", overdue).where("deadline", "<=", context.now());
    const authentication = await open.returningAll().executeTakeFirst();
    if (authentication === undefined) return null;

    const { decision_id, version, eci, flow, cardholder_info, trans_status_reason } = authentication;
    const verdict = judge(result, { policy: context.config.threeDSecure, transStatusReason: trans_status_reason });
    const ending: Ending = {
      outcome: { result, version, eci },
      refusal: declineCode ?? (verdict.ok ? null : verdict.declineCode),
      // A message that the issuer sent with a challenge is no longer useful afterwards.
      cardholderInfo: flow === null ? cardholder_info : null,
    };
    return authentication.is_step_up
      ? await endStepUp(context, tx, decision_id, ending)
      : await endFirst(context, tx, decision_id, ending, flow);
  });
  if (followUp === null) return null;
  const { attempt, cardToErase } = followUp;
  if (cardToErase !== null) await eraseCard(context, cardToErase);
  return { attempt };
}

/** Approves or declines the decision and starts the next step. */
async function endFirst(
  context: PlatformContext,
  tx: Tx,
  id: string,
  { outcome, refusal, cardholderInfo }: Ending,
  flow: Row<"authentication">["flow"],
): Promise<FollowUp> {
  const declineCode = refusal ?? (await riskDecline(tx, id, { result: outcome.result, flow }));
  if (declineCode === null) {
    const decision = await approve(tx, id, outcome, context.now());
    return { attempt: await continuePayment(context, tx, decision), cardToErase: null };
  }
  const decision = await decline(tx, id, outcome, declineCode, cardholderInfo, context.now());
  await failPayment(context, tx, decision);
  return { attempt: null, cardToErase: decision.payment_method_id };
}

/** A risky payment needs proof from the issuer. If 3-D Secure was unavailable, the payment is declined. */
async function riskDecline(tx: Tx, decisionId: string, authentication: Proof): Promise<DeclineCode | null> {
  const risk = await tx
    .selectFrom("decision")
    .select(["risk_level", "risk_reasons"])
    .where(hasId(decisionId))
    .executeTakeFirstOrThrow();
  return isConfirmed(risk, authentication) ? null : "risk_rejected";
}
