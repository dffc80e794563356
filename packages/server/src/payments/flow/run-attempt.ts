/**
 * One attempt at the bank, from "written down" to "known". No transaction is open while the bank is asked.
 *
 * The first time the bank is asked to do it. Any later time it is first asked what it knows of the attempt's id, since
 * an earlier process may have been killed between the bank's answer and our commit. Sending the same id again cannot
 * move money twice: the id is the bank's idempotency key. An authorization is sent for a limited time
 * (`attempts/last-send.ts`). Two processes may run this at once; the conditional update in `finish` lets one of them
 * through.
 *
 * Transaction B: attempt, charge or refund, session, events, deliveries and the answer to the request that asked for
 * it, in one commit.
 */
import { CardGoneError, SealBrokenError, type BankOutcome, type CardOf } from "@oriel/vault";
import type { DeclineCode } from "@oriel/protocol/declines";
import { bankOf } from "../../merchants/accounts/live-mode.ts";
import { settleAuthorization } from "./settle-authorization.ts";
import { settleReservation } from "./settle-reservation.ts";
import type { PaymentContext } from "../context.ts";
import { storeOutcome } from "../../platform/idempotency/idempotency.ts";
import type { StoredAnswer } from "../../platform/idempotency/stored-answer.ts";
import { eraseCard } from "../payment-methods/erase-card.ts";
import { settleVerification } from "./settle-verification.ts";
import { outcomeOf, recordOutcome } from "../risk/card-tries.ts";
import { settleRefund } from "./settle-refund.ts";
import { isProved } from "../threeds/outcome.ts";
import { openStepUp } from "./threeds/step-up.ts";
import type { Tx } from "../../platform/storage/database.ts";
import type { AttemptKind, Row } from "../../platform/storage/tables.ts";
import { claimQuestion, finish, planQuestion, type Question } from "../attempts/attempt-state.ts";
import { nextStep } from "../attempts/last-send.ts";
import { readOutcome } from "./read-outcome.ts";

/** What the bank's answer changes. Part of transaction B; `attempt` is final. */
type Settle = (context: PaymentContext, tx: Tx, attempt: Row<"attempt">, isHoldGone: boolean) => Promise<void>;

const settlers: Record<AttemptKind, Settle> = {
  authorize: settleAuthorization,
  verify: settleVerification,
  capture: settleReservation,
  cancel: settleReservation,
  refund: settleRefund,
};

/** What came of running an attempt. */
export type Run =
  /**
   * This call has learnt the outcome. The answer is for whoever asked; there is none for a verification, nor where the
   * payment goes on.
   */
  | { state: "settled"; answer: StoredAnswer | null }
  /** The bank was asked and did not answer; a job asks again. */
  | { state: "unknown" }
  /** Not asked: final already, not due, or somebody else is asking. */
  | { state: "left"; question: Exclude<Question, { claimed: true }> };

/**
 * Asks the bank, if it is time to.
 *
 * @param options.wanted by a reader: the bank is asked although it is not due yet
 */
export async function runAttempt(
  context: PaymentContext,
  attemptId: string,
  { wanted = false }: { wanted?: boolean } = {},
): Promise<Run> {
  const question = await claimQuestion(context, attemptId, wanted);
  if (!question.claimed) return { state: "left", question };
  const { attempt } = question;
  const giveBack = context.claims.hold(attempt);
  const { subject, outcome, isHoldGone } = await ask(context, attempt).finally(giveBack);
  const details = { attempt: attempt.id, kind: attempt.kind, charge: attempt.charge_id, asked: attempt.times_asked };
  if (outcome.outcome === "unknown") {
    const seconds = await planQuestion(context, attempt);
    context.log.warn({ ...details, again_in_s: seconds }, "The bank's answer is not known; it will be asked again");
    return { state: "unknown" };
  }

  // Nothing is reserved any more, which is what a cancellation wants.
  const isDone = outcome.outcome === "approved" || (isHoldGone && attempt.kind === "cancel");
  const declineCode = isDone ? null : outcome.declineCode;
  const saves = isPayment(attempt) && subject.saves && declineCode === null;
  // Before the commit that calls the card saved: what is kept in vain is erased again, what is missing could not be
  // brought back.
  if (saves && !(await context.vault.keep(cardOf(attempt, subject))))
    await eraseCard(context, subject.payment_method_id);
  const settled = await settle(context, attempt, declineCode, isHoldGone);
  if (settled === null) return { state: "left", question: { claimed: false, because: "final" } };
  context.log.info({ ...details, decline_code: declineCode }, `The attempt is ${outcome.outcome}`);
  const hasServed = isPayment(attempt) && subject.session_id !== null && !saves && !settled.goesOn;
  if (hasServed) await eraseCard(context, subject.payment_method_id);
  return { state: "settled", answer: settled.answer };
}

interface Asked {
  subject: Subject;
  outcome: BankOutcome;
  /** The bank refused to capture or to cancel, and no longer knows what it reserved. */
  isHoldGone: boolean;
}

async function ask(context: PaymentContext, attempt: Row<"attempt">): Promise<Asked> {
  const subject = await readSubject(context, attempt);
  const outcome = await askBank(context, attempt, subject);
  const isAboutHold = attempt.kind === "capture" || attempt.kind === "cancel";
  const isHoldGone = isAboutHold && outcome.outcome === "declined" && (await isUnknownHold(context, attempt, subject));
  return { subject, outcome, isHoldGone };
}

/** True only if the bank says so. If it doesn't answer, the refusal stands by itself. */
async function isUnknownHold(
  context: PaymentContext,
  attempt: Row<"attempt">,
  { authorization, payment_method_id }: Subject,
): Promise<boolean> {
  const bank = bankOf(context, attempt);
  if (bank === null || authorization === null) return false;
  return (await bank.lookup("authorize", authorization, payment_method_id)).outcome === "absent";
}

/** What an attempt is about, as the bank needs to know it. */
async function readSubject({ db }: PaymentContext, attempt: Row<"attempt">) {
  const subject = await db
    .selectFrom("decision")
    .leftJoin("authentication", (join) =>
      join
        .onRef("authentication.decision_id", "=", "decision.id")
        .on("authentication.is_step_up", "=", attempt.is_step_up),
    )
    .leftJoin("charge", "charge.decision_id", "decision.id")
    .leftJoin("checkout_session as session", "session.id", "decision.session_id")
    .leftJoin("payment_method", "payment_method.id", "decision.payment_method_id") // the test payment methods have no row
    .leftJoin("attempt as authorization", (join) =>
      join
        .onRef("authorization.decision_id", "=", "decision.id")
        .on("authorization.kind", "=", "authorize")
        .on("authorization.status", "=", "approved"),
    )
    .select(["decision.payment_method_id", "decision.currency", "decision.session_id", "charge.capture_method"])
    .select("decision.acquirer_merchant_id")
    .select([
      "authentication.result",
      "authentication.eci",
      "authentication.authentication_value",
      "authentication.ds_trans_id",
    ])
    .select([
      "session.mode",
      "session.save_payment_method",
      "authorization.id as authorization",
      "payment_method.network",
    ])
    .where("decision.id", "=", attempt.decision_id)
    .executeTakeFirstOrThrow();
  return { ...subject, saves: subject.mode === "setup" || subject.save_payment_method === true };
}

type Subject = Awaited<ReturnType<typeof readSubject>>;

async function askBank(context: PaymentContext, attempt: Row<"attempt">, subject: Subject): Promise<BankOutcome> {
  const { kind, id: reference, amount } = attempt;
  const bank = bankOf(context, attempt);
  if (bank === null) return { outcome: "unknown" }; // live mode was switched off under it, or has lost its bank
  const { payment_method_id, currency } = subject;
  if (attempt.times_asked > 1) {
    const known = await bank.lookup(kind === "verify" ? "authorize" : kind, reference, payment_method_id);
    if (known.outcome !== "absent") return known;
  }
  const step = nextStep(attempt, context.now());
  if (step === "wait") return { outcome: "unknown" };
  if (step === "fail") return { outcome: "declined", declineCode: "processing_error" };
  if (kind === "authorize" || kind === "verify") {
    const capture = kind === "authorize" && subject.capture_method === "automatic";
    try {
      return await bank.authorize(cardOf(attempt, subject), {
        reference,
        amount,
        currency,
        capture,
        ...networkOf(subject),
        ...merchantOf(attempt, subject),
        ...proofOf(subject),
      });
    } catch (error) {
      // The bank doesn't know this attempt, and without its card no money can move under this ID. But a process with a
      // newer key file may open a card that this one can't, and an earlier asker may have sent a message already.
      const neverOpens =
        error instanceof SealBrokenError && error.reason !== "unknown_key" && attempt.times_asked === 1;
      if (error instanceof CardGoneError || neverOpens) return { outcome: "declined", declineCode: "processing_error" };
      if (error instanceof SealBrokenError) return { outcome: "unknown" };
      throw error;
    }
  }
  const { authorization } = subject;
  if (authorization === null) throw new Error(`Bug: the attempt ${reference} is about money that was never reserved`);
  switch (kind) {
    case "capture":
      return await bank.capture({ reference, authorization, amount });
    case "cancel":
      return await bank.cancel({ reference, authorization });
    case "refund":
      return await bank.refund({ reference, authorization, amount });
  }
}

/** The card to charge, for the account that the attempt was written for. */
function cardOf({ account_id }: Row<"attempt">, { payment_method_id }: Subject): CardOf {
  return { paymentMethodId: payment_method_id, accountId: account_id };
}

/** The network that the customer chose; without a choice the bank decides. */
function networkOf({ network }: Subject) {
  return network === null ? {} : { network };
}

/** Whose sale it is: in live mode its decision says so, or nobody is asked for money. */
function merchantOf({ id, livemode }: Row<"attempt">, { acquirer_merchant_id: merchant_id }: Subject) {
  if (livemode !== (merchant_id !== null))
    throw new Error(`Bug: the attempt ${id} and its merchant id are of different modes`);
  return merchant_id === null ? {} : { merchant_id };
}

/**
 * What the issuer gave to show that it was the cardholder; nothing when it gave none. Not every directory server gives
 * an ECI with it.
 */
function proofOf({ result, eci, authentication_value, ds_trans_id }: Subject) {
  if (!isProved(result) || ds_trans_id === null || authentication_value === null) return {};
  return { three_d_secure: { ...(eci === null ? {} : { eci }), ds_trans_id, authentication_value } };
}

/** Captures, cancellations and refunds are about money, not about the card any more. */
function isPayment({ kind }: Row<"attempt">): boolean {
  return kind === "authorize" || kind === "verify";
}

/**
 * Transaction B. Null if another process was first; `goesOn` where the payment is not over, since the bank wants the
 * customer after all.
 */
async function settle(
  context: PaymentContext,
  { id }: Row<"attempt">,
  declineCode: DeclineCode | null,
  isHoldGone: boolean,
): Promise<{ answer: StoredAnswer | null; goesOn: boolean } | null> {
  return await context.db.transaction().execute(async (tx) => {
    const attempt = await finish(tx, id, declineCode, context.now());
    if (attempt === undefined) return null;
    if (await openStepUp(context, tx, attempt)) return { answer: null, goesOn: true };
    await settlers[attempt.kind](context, tx, attempt, isHoldGone);
    if (isPayment(attempt)) await recordOutcome(tx, attempt.decision_id, outcomeOf(declineCode));
    const answer = await readOutcome(tx, attempt);
    if (answer !== null) await storeOutcome(context, tx, attempt, answer);
    return { answer, goesOn: false };
  });
}
