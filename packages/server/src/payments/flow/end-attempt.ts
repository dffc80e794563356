/**
 * Transaction B: an attempt ends, with everything that follows from its outcome. It commits the attempt, charge or
 * refund, session, events, deliveries and the stored response of the original request together. For approved
 * authorizations and for refunds, it is a single statement. If another process has ended the attempt, nothing changes.
 */
import { storeOutcome } from "../../platform/idempotency/idempotency.ts";
import type { StoredResponse } from "../../platform/idempotency/stored-response.ts";
import type { Tx } from "../../platform/storage/database.ts";
import { hasKey } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";
import { causeOf, finish } from "../attempts/attempt-state.ts";
import { detailsOf, notProcessed, type FinalReply } from "../attempts/final-reply.ts";
import { usesCard, type Subject } from "../attempts/subject.ts";
import { resolveItself } from "../attention/resolve-attention.ts";
import { approveCharge } from "../charges/approve-charge.ts";
import { fail } from "../charges/charge-state.ts";
import { recordFailed } from "../charges/record-failed.ts";
import type { PaymentContext } from "../context.ts";
import { settleRefund } from "../refunds/settle-refund.ts";
import { isBeingReversed, lockReversed, settleReversal, undoLateApproval } from "../reversals/reversals.ts";
import { takeDeclineCost } from "../risk/bucket.ts";
import { outcomeOf, recordOutcome } from "../risk/card-attempts.ts";
import { isChallengePassed } from "../threeds/outcome.ts";
import { followLedger } from "./follow-ledger.ts";
import { readOutcome } from "./read-outcome.ts";
import { settleReservation, type HoldEnding } from "./settle-reservation.ts";
import { settleVerification } from "./settle-verification.ts";
import { openStepUp } from "./threeds/step-up.ts";

export interface Ending extends HoldEnding {
  reply: FinalReply;
  /**
   * Whether the acquirer has no lookup: an authorization may be being reversed, and a person may have been notified of
   * the attempt.
   */
  isByReplay: boolean;
  /** Of a reversal by our reference: the acquirer's ID of the authorization that it has released. */
  releasedId?: string | null;
}

export interface Ended {
  /**
   * The response to the original request. It's null for a verification or a reversal, and if the payment continues with
   * a step-up.
   */
  response: StoredResponse | null;
  /** Whether the payment is over: it doesn't continue with a step-up. Its card isn't needed for it anymore. */
  isPaymentEnded: boolean;
  /** The authorization that this ended: the attempt itself, or the one that it reversed. Null if none. */
  authorization: Row<"attempt"> | null;
  /** Null if the attempt was approved. An approval that came too late is declined. */
  declineCode: FinalReply["declineCode"];
  /** A reversal to be run now, because an approval came too late. */
  reversal: string | null;
}

/** What a person may have been notified of an attempt without an outcome (`run-attempt.ts`). */
const concerns = ["outcome_unknown", "operation_overdue"] as const;

/** @returns null if another process ended the attempt first */
export async function endAttempt(
  context: PaymentContext,
  attempt: Row<"attempt">,
  subject: Subject,
  ending: Ending,
): Promise<Ended | null> {
  // One statement, which needs no transaction around it.
  if (!ending.isByReplay && isOneStatement(attempt, ending.reply)) {
    const response = await endAtOnce(context, attempt, subject, ending.reply);
    return response && ended(attempt, ending.reply, response);
  }
  return await context.db.transaction().execute((tx) => endInTransaction(context, tx, attempt, subject, ending));
}

/** The same as part of a transaction. The card of a payment that ended is erased later (`worker.ts`). */
export async function endInTransaction(
  context: PaymentContext,
  tx: Tx,
  attempt: Row<"attempt">,
  subject: Subject,
  ending: Ending,
): Promise<Ended | null> {
  const { reply, isByReplay, releasedId = null } = ending;
  if (attempt.kind === "reverse") return await endReversal(context, tx, attempt, subject, reply, releasedId);
  if (isByReplay) {
    if (!(await lockOpen(tx, attempt))) return null;
    await resolveItself(tx, tenantOf(attempt), concerns, attempt.id, context.now());
    const isApproval = attempt.kind === "authorize" && reply.declineCode === null;
    if (isApproval && (await isBeingReversed(tx, attempt))) {
      const { details } = reply;
      const late = { declineCode: "processing_error", details: detailsOf(attempt) } as const;
      const declined = await endInSteps(context, tx, attempt, subject, late, ending);
      return declined && { ...declined, reversal: await undoLateApproval(context, tx, attempt, details.acquirerId) };
    }
  }
  if (!isOneStatement(attempt, reply)) return await endInSteps(context, tx, attempt, subject, reply, ending);
  const response = await endAtOnce({ ...context, db: tx }, attempt, subject, reply);
  if (response === null) return null;
  const { kind, charge_id } = attempt;
  if (kind === "refund" && reply.declineCode !== null && charge_id !== null) await followLedger(context, tx, charge_id);
  return ended(attempt, reply, response);
}

/** The authorization fails in the same transaction if it was reversed. */
async function endReversal(
  context: PaymentContext,
  tx: Tx,
  attempt: Row<"attempt">,
  subject: Subject,
  reply: FinalReply,
  releasedId: string | null,
): Promise<Ended | null> {
  const locked = await lockReversed(tx, attempt);
  const final = await finish(tx, attempt.id, reply, context.now());
  if (final === undefined) return null;
  await resolveItself(tx, tenantOf(attempt), concerns, attempt.id, context.now());
  const { reversed, hasFailed, next } = await settleReversal(context, tx, final, locked, releasedId);
  if (hasFailed) {
    await resolveItself(tx, tenantOf(attempt), concerns, reversed.id, context.now());
    const { declineCode, details } = notProcessed(reversed);
    await endInSteps(context, tx, reversed, subject, { declineCode, details }, { isHoldGone: false });
  }
  const rest = { isPaymentEnded: hasFailed, authorization: hasFailed ? reversed : null };
  return { ...ended(attempt, reply, null), ...rest, reversal: next };
}

function isOneStatement({ kind }: Row<"attempt">, { declineCode }: FinalReply): boolean {
  return kind === "refund" || (kind === "authorize" && declineCode === null);
}

async function endAtOnce(
  context: Pick<PaymentContext, "db" | "keys" | "now">,
  attempt: Row<"attempt">,
  subject: Subject,
  reply: FinalReply,
): Promise<StoredResponse | null> {
  const settle = attempt.kind === "refund" ? settleRefund : approveCharge;
  return await settle(context, attempt, subject, reply);
}

async function endInSteps(
  context: PaymentContext,
  tx: Tx,
  attempt: Row<"attempt">,
  subject: Subject,
  reply: FinalReply,
  hold: HoldEnding,
): Promise<Ended | null> {
  const final = await finish(tx, attempt.id, reply, context.now());
  if (final === undefined) return null;
  const mayContinue = final.withdrawn_at === null;
  if (mayContinue && (await openStepUp(context, tx, final)))
    return { ...ended(attempt, reply, null), isPaymentEnded: false, authorization: null };
  await applyOutcome(context, tx, final, hold);
  if (usesCard(final)) {
    const outcome = outcomeOf(reply.declineCode);
    await recordOutcome(tx, final.decision_id, outcome);
    // An attacker couldn't have passed a challenge.
    const isSuspect = subject.payer === "new" && !isChallengePassed(subject);
    if (outcome === "declined" && isSuspect) await takeDeclineCost(tx, final, context.now());
  }
  const response = await readOutcome(tx, final);
  if (response !== null) await storeOutcome(context, tx, final, response);
  return ended(attempt, reply, response);
}

/** Applies the outcome to what the attempt is for. `attempt` is final. */
async function applyOutcome(context: PaymentContext, tx: Tx, attempt: Row<"attempt">, hold: HoldEnding): Promise<void> {
  switch (attempt.kind) {
    case "authorize":
      return await failCharge(context, tx, attempt);
    case "verify":
      return await settleVerification(context, tx, attempt);
    case "capture":
    case "cancel":
      return await settleReservation(context, tx, attempt, hold);
    case "refund":
    case "reverse":
      throw new Error(`Bug: attempt ${attempt.id} to ${attempt.kind} is settled elsewhere`);
  }
}

/** A declined authorization. `charges/approve-charge.ts` settles an approved one. */
async function failCharge(context: PaymentContext, tx: Tx, attempt: Row<"attempt">): Promise<void> {
  const { charge_id: id, decline_code } = attempt;
  if (id === null || decline_code === null)
    throw new Error(`Bug: attempt ${attempt.id} isn't a declined authorization`);
  await recordFailed(context, tx, await fail(tx, id, decline_code), causeOf(attempt));
}

/** Locks the attempt before its reversal is looked for (`reversals/reversals.ts`). @returns false if it has ended */
async function lockOpen(tx: Tx, attempt: Row<"attempt">): Promise<boolean> {
  const open = tx.selectFrom("attempt").select("id").where(hasKey(attempt)).where("status", "=", "processing");
  return (await open.forNoKeyUpdate().executeTakeFirst()) !== undefined;
}

function ended(attempt: Row<"attempt">, { declineCode }: FinalReply, response: StoredResponse | null): Ended {
  const authorization = attempt.kind === "authorize" ? attempt : null;
  return { response, isPaymentEnded: usesCard(attempt), authorization, declineCode, reversal: null };
}
