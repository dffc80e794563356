/**
 * A step-up: the issuer declined an authorization with `authentication_required` while the customer is present. So the
 * customer is authenticated once more, with a challenge, as part of the same payment. Then the same charge is
 * authorized a second time. The verification of a card to save works the same way.
 *
 * ```
 * attempt declined --openStepUp--> authentication (is_step_up) --endStepUp, proved--> attempt (is_step_up) --> outcome
 *                                              +-------endStepUp, anything else--> payment failed
 * ```
 * Meanwhile the decision stays consumed and the charge `processing`. The merchant gets no event and the session stays
 * claimed. Each arrow is in the same transaction as the step before it, so a process may die at any point. A unique key
 * allows only one step-up.
 */
import { randomUUID } from "node:crypto";
import type { DeclineCode } from "@oriel/protocol/declines";
import { noCause } from "../../../platform/cause.ts";
import type { PlatformContext } from "../../../platform/context.ts";
import { newId } from "../../../platform/ids.ts";
import type { Tx } from "../../../platform/storage/database.ts";
import { hasId, sameOwner } from "../../../platform/storage/owned-by.ts";
import type { Row } from "../../../platform/storage/tables.ts";
import { ownerColumns, tenantOf } from "../../../platform/tenant.ts";
import { insertAttempt } from "../../attempts/attempt-state.ts";
import type { AttemptToRun } from "../../attempts/subject.ts";
import { fail } from "../../charges/charge-state.ts";
import { recordFailed } from "../../charges/record-failed.ts";
import { recordStepUp, type ThreeDSOutcome } from "../../decisions/decision-state.ts";
import { takeDeclineCost } from "../../risk/bucket.ts";
import { recordOutcome } from "../../risk/card-attempts.ts";
import { recordIfExpired } from "../../sessions/record-expired.ts";
import { releaseAfterFailure } from "../../sessions/session-state.ts";
import { customerMs, deadlineIn } from "../../threeds/deadlines.ts";
import { isProved } from "../../threeds/outcome.ts";

/** How long a completed 3DS Method can be reused for the same card and browser (EMV 3DS 2.3.1, threeDSMethodId). */
const methodReuseMs = 10 * 60 * 1000;

/** How an authentication ended. */
export interface Ending {
  outcome: ThreeDSOutcome;
  /** Why the payment was declined; null if it may continue. */
  refusal: DeclineCode | null;
  /** The issuer's message to the customer. */
  cardholderInfo: string | null;
}

/**
 * What follows the end of an authentication: an attempt to run if a charge starts or continues, or a card to erase if
 * the payment is over.
 */
export interface FollowUp {
  attempt: AttemptToRun | null;
  cardToErase: string | null;
}

/**
 * Runs in the transaction that declines `attempt`.
 *
 * @returns true if a step-up started and the payment continues
 */
export async function openStepUp(
  { now }: Pick<PlatformContext, "now">,
  tx: Tx,
  attempt: Row<"attempt">,
): Promise<boolean> {
  const { kind, decision_id, decline_code, is_step_up } = attempt;
  if ((kind !== "authorize" && kind !== "verify") || decline_code !== "authentication_required" || is_step_up)
    return false;
  // If there was no first authentication, or it wasn't required, the card isn't enrolled in 3-D Secure. Without a session,
  // or if the merchant's server makes the charge, the customer isn't present. It makes none for a verification.
  const first = await tx
    .selectFrom("authentication")
    .innerJoin("decision", (join) =>
      join.onRef("decision.id", "=", "authentication.decision_id").on(sameOwner("decision", "authentication")),
    )
    .innerJoin("checkout_session as session", (join) =>
      join.onRef("session.id", "=", "decision.session_id").on(sameOwner("session", "decision")),
    )
    .selectAll("authentication")
    .where(hasId(decision_id, "authentication.decision_id"))
    .$if(kind === "authorize", (query) => query.where("session.confirmation", "=", "automatic"))
    .executeTakeFirst();
  if (first === undefined || first.result === "not_supported") return false;
  // If the customer has already passed a challenge, another one won't help.
  if (first.flow !== null && isProved(first.result)) return false;

  const openedAt = now();
  await tx
    .insertInto("authentication")
    .values({
      ...ownerColumns(tenantOf(attempt)),
      id: randomUUID(),
      decision_id,
      is_step_up: true,
      status: "method",
      ...methodOf(first, openedAt),
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

/** A vendor's 3DS Server starts over, and chooses them again. */
function methodOf(first: Row<"authentication">, now: Date) {
  const { version, method_url, server_trans_id } = first;
  if (server_trans_id !== null) return { version: null, method_url: null, method_id: null };
  return { version, method_url, method_id: canReuseMethod(first, now) ? first.id : null };
}

/** Version 2.2.0 can't refer to the 3DS Method of another transaction, so the method runs again. */
function canReuseMethod({ version, method_notified, created_at }: Row<"authentication">, now: Date): boolean {
  return version === "2.3.1" && method_notified && now.getTime() - created_at.getTime() < methodReuseMs;
}

/**
 * Runs in the transaction that ends the second authentication: authorizes again, or fails the payment. Without proof of
 * authentication, the issuer would only decline again.
 */
export async function endStepUp(
  context: PlatformContext,
  tx: Tx,
  decisionId: string,
  { outcome, refusal, cardholderInfo }: Ending,
): Promise<FollowUp> {
  const declineCode = refusal ?? (isProved(outcome.result) ? null : "authentication_required");
  const decision = await recordStepUp(
    tx,
    decisionId,
    outcome,
    declineCode,
    declineCode === null ? null : cardholderInfo,
  );
  if (declineCode === null) return { attempt: await beginSecondAttempt(context, tx, decision), cardToErase: null };

  // The issuer declined the first attempt, even if the customer gave up or couldn't be authenticated now.
  await recordOutcome(tx, decisionId, "declined");
  if (decision.payer === "new")
    await takeDeclineCost(tx, { ...ownerColumns(tenantOf(decision)), decision_id: decisionId }, context.now());
  const { charge_id, session_id, payment_method_id } = decision;
  if (charge_id !== null) {
    await recordFailed(context, tx, await fail(tx, charge_id, declineCode), noCause);
  } else if (session_id !== null) {
    await recordIfExpired(context, tx, await releaseAfterFailure(tx, session_id, decisionId), noCause);
  }
  return { attempt: null, cardToErase: payment_method_id };
}

/** Starts the second attempt, for the charge or, without one, for the verification. */
async function beginSecondAttempt(context: PlatformContext, tx: Tx, decision: Row<"decision">): Promise<string> {
  const owner = tenantOf(decision);
  const id = newId("att", context.now(), owner);
  const { charge_id, amount } = decision;
  const kind = charge_id === null ? { kind: "verify" as const } : { kind: "authorize" as const, charge_id };
  // The CVC was for the first authorization (PCI DSS 3.3.1), and is erased once that has its outcome.
  const attempt = { id, is_step_up: true as const, without_cvc: true, decision_id: decision.id, amount, ...kind };
  await insertAttempt(context, tx, owner, attempt, noCause);
  return id;
}
