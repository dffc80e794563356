/**
 * The step-up: the bank declined an authorization with `authentication_required`, and the customer is there. So the
 * customer's bank is asked once more, for a challenge, in the same payment; and after it the same charge is authorized
 * a second time. The verification of a card that is to be saved likewise.
 *
 * ```
 * attempt declined --openStepUp--> authentication (is_step_up) --endStepUp, proved--> attempt (is_step_up) --> the payment's end
 *                                              +-------endStepUp, anything else--> the payment failed
 * ```
 * Meanwhile the decision stays consumed and the charge `processing`: nothing is told to the merchant before its end,
 * and the session is not free. Each of the two arrows is one transaction with what came before it, so that a process
 * may die anywhere. There is one step-up at most, by a unique key.
 */
import { randomUUID } from "node:crypto";
import type { DeclineCode } from "@oriel/protocol/declines";
import { insertAttempt } from "../../attempts/attempt-state.ts";
import { fail } from "../../charges/charge-state.ts";
import { recordFailed } from "../../charges/record-failed.ts";
import { noCause } from "../../../platform/cause.ts";
import type { PlatformContext } from "../../../platform/context.ts";
import { noteStepUp, type ThreeDSOutcome } from "../../decisions/decision-state.ts";
import { newId } from "../../../platform/ids.ts";
import { outcomeOf, recordOutcome } from "../../risk/card-tries.ts";
import { recordIfExpired } from "../../sessions/record-expired.ts";
import { releaseAfterFailure } from "../../sessions/session-state.ts";
import type { Tx } from "../../../platform/storage/database.ts";
import type { Row } from "../../../platform/storage/tables.ts";
import { tenantOf } from "../../../platform/tenant.ts";
import { customerMs, deadlineIn } from "../../threeds/deadlines.ts";
import { isProved } from "../../threeds/outcome.ts";

/** How long one 3DS Method serves for the same card and browser (EMV 3DS 2.3.1, threeDSMethodId). */
const methodServesMs = 10 * 60 * 1000;

/** How an authentication ended. */
export interface Ending {
  outcome: ThreeDSOutcome;
  /** Why the payment may not go on; null where it may. */
  refusal: DeclineCode | null;
  /** A sentence of the issuer's for the customer. */
  cardholderInfo: string | null;
}

/**
 * What follows the end of an authentication: an attempt to run, if a charge began or goes on; or a payment that is
 * over, whose card has served.
 */
export interface Aftermath {
  attemptId: string | null;
  servedCard: string | null;
}

/** Part of the transaction that declines `attempt`. True where the payment goes on; all else is then left as it is. */
export async function openStepUp(
  { now }: Pick<PlatformContext, "now">,
  tx: Tx,
  attempt: Row<"attempt">,
): Promise<boolean> {
  const { kind, decision_id, decline_code, is_step_up } = attempt;
  if ((kind !== "authorize" && kind !== "verify") || decline_code !== "authentication_required" || is_step_up)
    return false;
  // Without a first authentication the card takes no part in 3-D Secure; without a session, or where a server charges,
  // no customer is there.
  const first = await tx
    .selectFrom("authentication")
    .innerJoin("decision", "decision.id", "authentication.decision_id")
    .innerJoin("checkout_session as session", "session.id", "decision.session_id")
    .selectAll("authentication")
    .where("authentication.decision_id", "=", decision_id)
    .where("session.confirmation", "=", "automatic")
    .executeTakeFirst();
  // A bank that wants more than the challenge that was passed will not be content with another one.
  if (first === undefined || (first.asked !== null && isProved(first.result))) return false;

  const openedAt = now();
  await tx
    .insertInto("authentication")
    .values({
      id: randomUUID(),
      decision_id,
      is_step_up: true,
      status: "method",
      version: first.version,
      method_url: first.method_url,
      method_id: methodServes(first, openedAt) ? first.id : null,
      browser: JSON.stringify(first.browser),
      browser_accept: first.browser_accept,
      browser_user_agent: first.browser_user_agent,
      browser_ip: first.browser_ip,
      challenge_window_size: first.challenge_window_size,
      deadline: deadlineIn(customerMs, openedAt),
      created_at: openedAt,
    })
    .execute();
  return true;
}

/** 2.2.0 cannot name another transaction's method, so there it runs again. */
function methodServes({ version, method_notified, created_at }: Row<"authentication">, now: Date): boolean {
  return version === "2.3.1" && method_notified && now.getTime() - created_at.getTime() < methodServesMs;
}

/**
 * Part of the transaction that ends the second authentication: the bank is asked once more, or the payment has failed.
 * Without a proof there is nothing new to show to a bank that wants one.
 */
export async function endStepUp(
  context: PlatformContext,
  tx: Tx,
  decisionId: string,
  { outcome, refusal, cardholderInfo }: Ending,
): Promise<Aftermath> {
  const declineCode = refusal ?? (isProved(outcome.result) ? null : "authentication_required");
  const decision = await noteStepUp(tx, decisionId, outcome, declineCode, declineCode === null ? null : cardholderInfo);
  if (declineCode === null) return { attemptId: await beginAgain(context, tx, decision), servedCard: null };

  await recordOutcome(tx, decisionId, outcomeOf(declineCode));
  const { charge_id, session_id, payment_method_id } = decision;
  if (charge_id !== null) {
    await recordFailed(context, tx, await fail(tx, charge_id, declineCode), noCause);
  } else if (session_id !== null) {
    await recordIfExpired(context, tx, await releaseAfterFailure(tx, session_id, decisionId), noCause);
  }
  return { attemptId: null, servedCard: payment_method_id };
}

/** The second attempt: of the charge, or of the verification where there is none. */
async function beginAgain(context: PlatformContext, tx: Tx, decision: Row<"decision">): Promise<string> {
  const id = newId("att", context.now());
  const { charge_id, amount } = decision;
  const kind = charge_id === null ? { kind: "verify" as const } : { kind: "authorize" as const, charge_id };
  const attempt = { id, is_step_up: true as const, decision_id: decision.id, amount, ...kind };
  await insertAttempt(context, tx, tenantOf(decision), attempt, noCause);
  return id;
}
