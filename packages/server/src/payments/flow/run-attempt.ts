/**
 * Runs one attempt until its outcome is known. No transaction is open during the call to the acquirer.
 *
 * The first call sends the operation. Every later call first looks the attempt up by its ID, because an earlier process
 * may have died between the acquirer's response and our commit. Sending the same ID twice can't move money twice: the
 * ID is the acquirer's idempotency key. An authorization is sent for a limited time (`attempts/send-limits.ts`). If two
 * processes run the same attempt, the conditional update in `finish` lets only one of them settle it.
 *
 * Transaction B commits the attempt, charge or refund, session, events, deliveries and the stored response of the
 * original request together. For approved authorizations and for refunds, it is a single statement.
 */
import {
  CardGoneError,
  noDetails,
  SealBrokenError,
  type BankOutcome,
  type CardOf,
  type CardUsage,
  type Proof,
} from "@oriel/vault";
import { bankOf } from "../../merchants/accounts/live-mode.ts";
import { settleReservation } from "./settle-reservation.ts";
import type { PaymentContext } from "../context.ts";
import { storeOutcome } from "../../platform/idempotency/idempotency.ts";
import type { StoredResponse } from "../../platform/idempotency/stored-response.ts";
import { eraseCard } from "../payment-methods/erase-card.ts";
import { settleVerification } from "./settle-verification.ts";
import { takeDeclineCost } from "../risk/bucket.ts";
import { outcomeOf, recordOutcome } from "../risk/card-attempts.ts";
import { waitForStep } from "../risk/decline-timing.ts";
import type { FinalReply } from "../attempts/final-reply.ts";
import { readSubject, savesCard, type AttemptToRun, type Subject } from "../attempts/subject.ts";
import { approveCharge } from "../charges/approve-charge.ts";
import { fail } from "../charges/charge-state.ts";
import { recordFailed } from "../charges/record-failed.ts";
import { settleRefund } from "../refunds/settle-refund.ts";
import { isChallengePassed, isProved } from "../threeds/outcome.ts";
import { openStepUp } from "./threeds/step-up.ts";
import type { Tx } from "../../platform/storage/database.ts";
import { modeOf } from "../../platform/tenant.ts";
import type { AttemptKind, Row } from "../../platform/storage/tables.ts";
import { causeOf, claimAttempt, finish, scheduleNextCall, type ClaimResult } from "../attempts/attempt-state.ts";
import { nextStep } from "../attempts/send-limits.ts";
import { readOutcome } from "./read-outcome.ts";

/** Applies the outcome, as part of transaction B. `attempt` is final. */
type Settle = (context: PaymentContext, tx: Tx, attempt: Row<"attempt">, isHoldGone: boolean) => Promise<void>;

const settlers: Record<Exclude<AttemptKind, "refund">, Settle> = {
  authorize: settleDeclined,
  verify: settleVerification,
  capture: settleReservation,
  cancel: settleReservation,
};

/** The result of a call to {@link runAttempt}. */
export type Run =
  /**
   * This call learned the outcome. `answer` is the response to the original request. It's null for a verification, and
   * if the payment continues with a step-up.
   */
  | { state: "settled"; answer: StoredResponse | null }
  /** The acquirer was called and didn't respond. A worker will check again. */
  | { state: "unknown" }
  /** The acquirer wasn't called: the attempt is final or not due, or another caller is running it. */
  | { state: "skipped"; claim: Exclude<ClaimResult, { claimed: true }> };

/**
 * Calls the acquirer if the attempt is due.
 *
 * @param options.wanted true if a reader needs the outcome now, so that the acquirer is called even if the attempt
 * isn't due yet
 */
export async function runAttempt(
  context: PaymentContext,
  attempt: AttemptToRun,
  { wanted = false }: { wanted?: boolean } = {},
): Promise<Run> {
  if (typeof attempt !== "string") return await runClaimed(context, attempt.attempt, attempt.subject);
  const claim = await claimAttempt(context, attempt, wanted);
  return claim.claimed ? await runClaimed(context, claim.attempt) : { state: "skipped", claim };
}

/**
 * Calls the acquirer for an attempt that this process has just claimed.
 *
 * @param known what the attempt is about, if the statement that created it has returned that
 */
export async function runClaimed(context: PaymentContext, attempt: Row<"attempt">, known?: Subject): Promise<Run> {
  const releaseClaim = context.claims.hold(attempt);
  const { subject, outcome, isHoldGone, answeredAt } = await callBank(context, attempt, known).finally(releaseClaim);
  const logged = { attempt: attempt.id, kind: attempt.kind, charge: attempt.charge_id, asked: attempt.times_asked };
  if (outcome.outcome === "unknown") {
    const seconds = await scheduleNextCall(context, attempt);
    context.log.warn(
      { ...logged, again_in_s: seconds },
      "Outcome unknown; the service will check with the acquirer again",
    );
    return { state: "unknown" };
  }

  // If the hold is gone, a cancellation has achieved its goal.
  const isDone = outcome.outcome === "approved" || (isHoldGone && attempt.kind === "cancel");
  const declineCode = isDone ? null : outcome.declineCode;
  const keepsCard = usesCard(attempt) && savesCard(subject) && declineCode === null;
  // Tell the vault to keep the card before the commit that marks it as saved. If the commit fails, the card is erased
  // later, but an erased card could never be restored.
  if (keepsCard && !(await context.vault.keep(cardOf(attempt, subject))))
    await eraseCard(context, subject.payment_method_id);
  const details = isDone ? { ...outcome.details, refusal: null } : outcome.details;
  const reply = { declineCode, details };
  const settled = await settle(context, attempt, subject, reply, isHoldGone);
  if (settled === null) return { state: "skipped", claim: { claimed: false, because: "final" } };
  context.log.info({ ...logged, decline_code: declineCode }, `Attempt ${outcome.outcome}`);
  if (attempt.kind === "authorize" && !settled.continues) {
    const durationMs = answeredAt.getTime() - attempt.created_at.getTime();
    const result = declineCode === null ? "approved" : "declined";
    context.telemetry.chargeEnded({ mode: modeOf(attempt), outcome: result, durationMs });
  }
  const isCardDone = usesCard(attempt) && subject.session_id !== null && !keepsCard && !settled.continues;
  if (isCardDone) await eraseCard(context, subject.payment_method_id);
  return { state: "settled", answer: settled.answer };
}

interface BankReply {
  subject: Subject;
  outcome: BankOutcome;
  /** The acquirer declined a capture or cancellation and no longer knows the hold. */
  isHoldGone: boolean;
  answeredAt: Date;
}

async function callBank(
  context: PaymentContext,
  attempt: Row<"attempt">,
  known: Subject | undefined,
): Promise<BankReply> {
  const subject = known ?? (await readSubject(context, attempt));
  const outcome = await lookUpOrSend(context, attempt, subject);
  const isAboutHold = attempt.kind === "capture" || attempt.kind === "cancel";
  const isHoldGone = isAboutHold && outcome.outcome === "declined" && (await isUnknownHold(context, attempt, subject));
  const answeredAt = context.now();
  const isNewDecline = usesCard(attempt) && subject.payer === "new" && outcome.outcome === "declined";
  if (isNewDecline) await waitForStep(context, attempt.created_at);
  return { subject, outcome, isHoldGone, answeredAt };
}

/** Returns true only if the acquirer says so. If it doesn't respond, only the decline is applied. */
async function isUnknownHold(
  context: PaymentContext,
  attempt: Row<"attempt">,
  { authorization, payment_method_id }: Subject,
): Promise<boolean> {
  const bank = bankOf(context, attempt);
  if (bank === null || authorization === null) return false;
  return (await bank.lookup("authorize", authorization, payment_method_id)).outcome === "absent";
}

async function lookUpOrSend(context: PaymentContext, attempt: Row<"attempt">, subject: Subject): Promise<BankOutcome> {
  const { kind, id: reference, amount } = attempt;
  const isRepeated = attempt.times_asked > 1;
  const bank = bankOf(context, attempt);
  // Live mode was turned off, or its acquirer is no longer configured.
  if (bank === null) return { outcome: "unknown" };
  const { payment_method_id, currency } = subject;
  if (isRepeated) {
    const known = await bank.lookup(kind === "verify" ? "authorize" : kind, reference, payment_method_id);
    if (known.outcome !== "absent") return known;
  }
  const step = nextStep(attempt, context.now());
  if (step === "wait") return { outcome: "unknown" };
  if (step === "fail") return notProcessed;
  if (kind === "authorize" || kind === "verify") {
    const capture = kind === "authorize" && subject.capture_method === "automatic";
    try {
      return await bank.authorize(cardOf(attempt, subject), {
        reference,
        isRepeated,
        amount,
        currency,
        capture,
        ...networkOf(subject),
        ...merchantOf(attempt, subject),
        ...proofOf(subject),
        usage: usageOf(subject),
      });
    } catch (error) {
      // The acquirer doesn't know this attempt, and without its card no money can move under this ID. But a process
      // with a newer key file may be able to open a card that this process can't, and an earlier call may already have
      // sent a message.
      const isUnreadable = error instanceof SealBrokenError && error.reason !== "unknown_key" && !isRepeated;
      if (error instanceof CardGoneError || isUnreadable) return notProcessed;
      if (error instanceof SealBrokenError) return { outcome: "unknown" };
      throw error;
    }
  }
  if (subject.authorization === null)
    throw new Error(`Bug: attempt ${reference} needs an authorization, but none was approved`);
  const authorization = { reference: subject.authorization, acquirerId: subject.authorization_acquirer_id };
  switch (kind) {
    case "capture":
      return await bank.capture({ reference, isRepeated, authorization, amount, currency });
    case "cancel":
      return await bank.cancel({ reference, isRepeated, authorization });
    case "refund":
      return await bank.refund({ reference, isRepeated, authorization, amount, currency });
  }
}

/** The acquirer never processed the attempt, and never will. */
const notProcessed: BankOutcome = { outcome: "declined", declineCode: "processing_error", details: noDetails };

/** The card to charge, bound to the account that the attempt belongs to. */
function cardOf({ account_no }: Row<"attempt">, { payment_method_id }: Subject): CardOf {
  return { paymentMethodId: payment_method_id, accountNo: account_no };
}

/** Returns the card network that the customer chose. If there is none, the acquirer decides. */
function networkOf({ network }: Subject) {
  return network === null ? {} : { network };
}

/**
 * Returns the merchant ID at the acquirer. In live mode it comes from the decision, and nothing is sent without one.
 */
function merchantOf({ id, livemode }: Row<"attempt">, { acquirer_merchant_id: merchantId }: Subject) {
  if (livemode !== (merchantId !== null))
    throw new Error(`Bug: attempt ${id} and its merchant ID are in different modes`);
  return merchantId === null ? {} : { merchantId };
}

/**
 * The issuer's proof of the authentication; empty without one. The ECI is optional because some directory servers don't
 * return it.
 */
function proofOf(subject: Subject): { proof?: Proof } {
  const { version, asked, trans_status, result, eci, authentication_value, ds_trans_id } = subject;
  if (!isProved(result) || version === null || trans_status === null) return {};
  if (ds_trans_id === null || authentication_value === null) return {};
  const statuses =
    asked === null
      ? { authenticationStatus: trans_status }
      : { authenticationStatus: asked === "challenge" ? "C" : "D", challengeStatus: trans_status };
  return {
    proof: {
      version,
      dsTransId: ds_trans_id,
      ...(eci === null ? {} : { eci }),
      authenticationValue: authentication_value,
      ...statuses,
    },
  };
}

/** A charge without a session is made by the merchant's server, with a card that was saved earlier. */
function usageOf(subject: Subject): CardUsage {
  if (subject.session_id === null) return { kind: "stored_by_merchant", firstNetworkTransactionId: null };
  return { kind: savesCard(subject) ? "store" : "once" };
}

/** Captures, cancellations and refunds refer to an earlier authorization and no longer need the card. */
function usesCard({ kind }: Row<"attempt">): boolean {
  return kind === "authorize" || kind === "verify";
}

/**
 * Transaction B.
 *
 * @returns null if another process settled the attempt first; `continues` is true if the payment continues with a
 * step-up
 */
async function settle(
  context: PaymentContext,
  attempt: Row<"attempt">,
  subject: Subject,
  reply: FinalReply,
  isHoldGone: boolean,
): Promise<{ answer: StoredResponse | null; continues: boolean } | null> {
  const { kind } = attempt;
  const { declineCode } = reply;
  if (kind === "refund") {
    const answer = await settleRefund(context, attempt, subject, reply);
    return answer && { answer, continues: false };
  }
  if (kind === "authorize" && declineCode === null) {
    const answer = await approveCharge(context, attempt, subject, reply);
    return answer && { answer, continues: false };
  }
  return await context.db.transaction().execute(async (tx) => {
    const final = await finish(tx, attempt.id, reply, context.now());
    if (final === undefined) return null;
    if (await openStepUp(context, tx, final)) return { answer: null, continues: true };
    await settlers[kind](context, tx, final, isHoldGone);
    if (usesCard(final)) {
      const outcome = outcomeOf(declineCode);
      await recordOutcome(tx, final.decision_id, outcome);
      // An attacker couldn't have passed a challenge.
      const isSuspect = subject.payer === "new" && !isChallengePassed(subject);
      if (outcome === "declined" && isSuspect) await takeDeclineCost(tx, final);
    }
    const answer = await readOutcome(tx, final);
    if (answer !== null) await storeOutcome(context, tx, final, answer);
    return { answer, continues: false };
  });
}

/** A declined authorization. `charges/approve-charge.ts` settles an approved one. */
async function settleDeclined(context: PaymentContext, tx: Tx, attempt: Row<"attempt">): Promise<void> {
  const { charge_id: id, decline_code } = attempt;
  if (id === null || decline_code === null)
    throw new Error(`Bug: attempt ${attempt.id} isn't a declined authorization`);
  await recordFailed(context, tx, await fail(tx, id, decline_code), causeOf(attempt));
}
