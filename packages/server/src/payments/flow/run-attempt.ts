/**
 * Runs one attempt until its outcome is known. No transaction is open during the call to the acquirer.
 *
 * The first call sends the operation. What a later call does depends on the acquirer. If it has lookups, the attempt is
 * first looked up by its ID, because an earlier process may have died between the acquirer's response and our commit.
 * If not, the same message is sent again, and the acquirer returns its first response. Sending the same ID twice can't
 * move money twice: the ID is the acquirer's idempotency key. Nothing is sent for longer than that is certain
 * (`attempts/send-limits.ts`). If two processes run the same attempt, or a notification reports its outcome meanwhile,
 * the conditional update in `finish` lets only one of them settle it.
 */
import type { AttentionKind } from "@oriel/protocol/api";
import type { AcquirerOutcome, CardAcquirer } from "@oriel/vault";
import { acquirerFor } from "../../merchants/accounts/live-mode.ts";
import type { StoredResponse } from "../../platform/idempotency/stored-response.ts";
import { hasId } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";
import { claimAttempt, scheduleNextCall, type ClaimResult } from "../attempts/attempt-state.ts";
import { notProcessed } from "../attempts/final-reply.ts";
import { concernOf, nextStep, type Resolves } from "../attempts/send-limits.ts";
import { readSubject, usesCard, type AttemptToRun, type Subject } from "../attempts/subject.ts";
import { raiseAgain, raiseAttention } from "../attention/raise-attention.ts";
import { raiseUnusable } from "../attention/raise-unusable.ts";
import type { PaymentContext } from "../context.ts";
import { eraseCvc } from "../payment-methods/erase-card.ts";
import { beginReversal, isPointless } from "../reversals/reversals.ts";
import { waitForStep } from "../risk/decline-timing.ts";
import { acceptAttempt } from "./accept-attempt.ts";
import { isOfRest } from "./release-rest.ts";
import { sendAttempt } from "./send-attempt.ts";
import { settleAttempt } from "./settle-attempt.ts";

/** The result of a call to {@link runAttempt}. */
export type Run =
  /**
   * This call learned the outcome. `response` is the response to the original request. It's null for a verification or
   * a reversal, and if the payment continues with a step-up.
   */
  | { state: "settled"; response: StoredResponse | null }
  /** The acquirer accepted it, and a notification has the outcome. `response` as above, also null if it was accepted before. */
  | { state: "accepted"; response: StoredResponse | null }
  /** The outcome is unknown. A worker will continue. */
  | { state: "unknown" }
  /** The acquirer wasn't called: the attempt is final or not due, or another caller is running it. */
  | { state: "skipped"; claim: Exclude<ClaimResult, { claimed: true }> };

/**
 * Calls the acquirer if the attempt is due.
 *
 * @param options.wanted true if a reader needs the outcome now, so that the acquirer is called even if the attempt
 * isn't due yet. Whoever created the attempt must run it without this.
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
  const reply = await callAcquirer(context, attempt, known).finally(releaseClaim);
  const { subject, outcome, resolves, isHoldGone, reportedAt } = reply;
  switch (outcome.outcome) {
    case "unknown":
      return await callLater(context, attempt, subject, resolves, outcome.reason);
    case "pending": {
      const response = await acceptAttempt(context, attempt, outcome.details, resolves);
      if (usesCard(attempt)) await eraseCvc(context, subject.payment_method_id);
      context.log.info(logged(attempt), "Attempt accepted; the acquirer reports the outcome later");
      return { state: "accepted", response };
    }
    case "not_repeatable":
      return await callLater(context, await giveUp(context, attempt), subject, resolves, "it can't be sent again");
    case "approved":
    case "declined": {
      const options = { isHoldGone, isByReplay: resolves.by === "replay", reportedAt };
      const ended = await settleAttempt(context, attempt, subject, outcome, options);
      if (ended === null) return { state: "skipped", claim: { claimed: false, because: "final" } };
      if (ended.reversal !== null) context.inBackground("attempt", runAttempt(context, ended.reversal));
      return { state: "settled", response: ended.response };
    }
  }
}

interface CallResult {
  subject: Subject;
  outcome: AcquirerOutcome;
  resolves: Resolves;
  /** The acquirer declined a capture or cancellation and no longer knows the hold. */
  isHoldGone: boolean;
  reportedAt: Date;
}

async function callAcquirer(
  context: PaymentContext,
  attempt: Row<"attempt">,
  known: Subject | undefined,
): Promise<CallResult> {
  const subject = known ?? (await readSubject(context, attempt));
  const acquirer = await acquirerFor(context, tenantOf(attempt), subject.acquirer_account_id);
  const outcome = acquirer === null ? noAcquirer : await findOutcome(context, acquirer, attempt, subject);
  const isHoldGone =
    acquirer !== null && outcome.outcome === "declined" && (await isUnknownHold(acquirer, attempt, subject));
  const reportedAt = context.now();
  const isNewDecline = usesCard(attempt) && subject.payer === "new" && outcome.outcome === "declined";
  if (isNewDecline) await waitForStep(context, attempt.created_at);
  return { subject, outcome, resolves: acquirer?.resolves ?? { by: "nothing" }, isHoldGone, reportedAt };
}

const noAcquirer: AcquirerOutcome = {
  outcome: "unknown",
  reason: "live mode was turned off, or its acquirer is no longer configured",
};
const waiting: AcquirerOutcome = { outcome: "unknown", reason: "the acquirer hasn't reported it yet" };

async function findOutcome(
  context: PaymentContext,
  acquirer: CardAcquirer,
  attempt: Row<"attempt">,
  subject: Subject,
): Promise<AcquirerOutcome> {
  const { kind, id: reference } = attempt;
  if (acquirer.resolves.by === "reference" && attempt.calls > 1 && kind !== "reverse") {
    const known = await acquirer.lookup(kind === "verify" ? "authorize" : kind, reference);
    if (known.outcome !== "absent") return known;
  }
  if (await isPointless(context.db, attempt)) return notProcessed(attempt);
  switch (nextStep(attempt, acquirer.resolves, context.now())) {
    case "send": {
      const outcome = await sendAttempt(context, acquirer, attempt, subject);
      if (outcome.outcome !== "not_repeatable") return outcome;
      // A notification may still report what became of the first request.
      return kind === "verify" ? notProcessed(attempt) : waiting;
    }
    case "wait":
      return waiting;
    case "fail":
      return notProcessed(attempt);
    case "reverse":
      return { outcome: "not_repeatable" };
  }
}

/** Returns true only if the acquirer says so. If it doesn't respond, only the decline is applied. */
async function isUnknownHold(
  acquirer: CardAcquirer,
  { kind }: Row<"attempt">,
  { authorization }: Subject,
): Promise<boolean> {
  if ((kind !== "capture" && kind !== "cancel") || acquirer.resolves.by !== "reference" || authorization === null)
    return false;
  return (await acquirer.lookup("authorize", authorization)).outcome === "absent";
}

/** Reverses an authorization whose outcome is unknown and that can't be sent again. @returns the authorization */
async function giveUp(context: PaymentContext, attempt: Row<"attempt">): Promise<Row<"attempt">> {
  const withdrawn = { ...attempt, withdrawn_at: attempt.withdrawn_at ?? context.now() };
  const reversal = await context.db.transaction().execute((tx) => beginReversal(context, tx, withdrawn));
  if (reversal !== null) context.inBackground("attempt", runAttempt(context, reversal));
  return withdrawn;
}

/** Schedules the next call. Raises it if the outcome has been unknown or the acquirer unusable for too long. */
async function callLater(
  context: PaymentContext,
  attempt: Row<"attempt">,
  subject: Subject,
  resolves: Resolves,
  reason: string,
): Promise<Run> {
  const concern = concernOf(attempt, resolves);
  if (concern !== null && concern.at <= context.now()) {
    if (concern.kind === "acquirer_unusable")
      await raiseUnusable(context, tenantOf(attempt), subject.acquirer_account_id);
    else await raiseOverdue(context, attempt, subject, concern.kind);
  }
  const again_in_s = await scheduleNextCall(context, attempt, resolves);
  if (attempt.accepted_at !== null) return { state: "accepted", response: null };
  context.log.warn(
    { ...logged(attempt), reason, again_in_s },
    "Outcome unknown; the service will check with the acquirer again",
  );
  return { state: "unknown" };
}

async function raiseOverdue(
  context: PaymentContext,
  attempt: Row<"attempt">,
  { currency }: Subject,
  kind: AttentionKind,
): Promise<void> {
  const { id, charge_id: chargeId, acquirer_id, amount, ...owned } = attempt;
  const operation = (await isOfRest(context.db, attempt)) ? "release" : attempt.kind;
  const details = { reference: id, operation, acquirer_id, amount, currency };
  await context.db.transaction().execute(async (tx) => {
    // A notification may be ending the attempt, and then nothing needs attention.
    const open = tx.selectFrom("attempt").select("id").where(hasId(id)).where("status", "=", "processing").forShare();
    if ((await open.executeTakeFirst()) === undefined) return;
    const concern = { kind, subject: id, chargeId, attemptId: id, details };
    // Someone may have resolved it without ending the attempt. Readers can call every second.
    const isDue = attempt.next_call_at <= context.now();
    await (isDue ? raiseAgain : raiseAttention)(context, tx, tenantOf(owned), concern);
  });
}

function logged({ id, kind, charge_id, calls }: Row<"attempt">) {
  return { attempt: id, kind, charge: charge_id, calls };
}
