/**
 * Applies the reported outcome of a request (`report-outcome.ts`). The reference is our attempt's ID, except for a
 * reversal by the authorization's reference, and for what wasn't requested: a capture that belongs to its authorization,
 * and possibly a repetition.
 */
import { noDetails, type AcquirerDetails, type NotificationSubject, type NotifiedOutcome } from "@oriel/vault";
import { hasKey } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { isBeingCalled } from "../attempts/attempt-state.ts";
import type { FinalOutcome } from "../attempts/final-reply.ts";
import type { PaymentContext } from "../context.ts";
import { retainsRest } from "../flow/release-rest.ts";
import { failCapture } from "./apply-occurrence.ts";
import {
  capturesAtOnce,
  isAnother,
  isSameMoney,
  operationById,
  reversalOf,
  type FoundAttempt,
} from "./find-attempts.ts";
import { failedReferences, isRepetition, succeededAgain } from "./late-successes.ts";
import { canTryAgain, mayGetReply, type NotificationKey, type Tried } from "./queue.ts";
import { reportOutcome } from "./report-outcome.ts";
import type { Contents, Result } from "./stored.ts";

type Outcome = Contents & {
  event: { type: NotifiedOutcome } & NotificationSubject;
  tried: Tried;
};

export async function applyOutcome(
  context: PaymentContext,
  key: NotificationKey,
  attempt: FoundAttempt,
  outcome: Outcome,
): Promise<Result> {
  const { event } = outcome;
  switch (event.type) {
    case "reversed":
    case "reversal_declined": {
      const reversal = await reversalOf(context.db, attempt);
      if (reversal === undefined) return "unexpected";
      return await report(context, reversal, outcome, event.type === "reversed", event.authorizationId);
    }
    case "authorized":
    case "authorization_failed":
      if (attempt.kind !== "authorize" && attempt.kind !== "verify") return "unexpected";
      return await applyAuthorization(context, attempt, outcome, event.type === "authorized");
    case "captured":
    case "capture_declined": {
      const isDone = event.type === "captured";
      if (!(await capturesAtOnce(context.db, attempt)))
        return await applyMovement(context, key, attempt, "capture", outcome, isDone);
      if (!isSameMoney(attempt, event)) return "unexpected";
      if (!isDone) return await failCapture(context, key, attempt, event);
      return await applyCaptureAtOnce(context, key, attempt, outcome);
    }
    case "canceled":
    case "cancel_declined":
      if (attempt.kind !== "cancel" && attempt.reversal !== "cancel") return "unexpected";
      return await report(context, attempt, outcome, event.type === "canceled");
    case "refunded":
    case "refund_declined":
      return await applyMovement(context, key, attempt, "refund", outcome, event.type === "refunded");
  }
}

/** A second payment with the same reference is a mistake of ours or theirs, and if it was approved, the customer paid twice. */
async function applyAuthorization(
  context: PaymentContext,
  attempt: FoundAttempt,
  outcome: Outcome,
  isApproved: boolean,
): Promise<Result> {
  const { acquirerId } = outcome.event;
  if (isApproved && !isSameMoney(attempt, outcome.event)) return "unexpected";
  if (isAnother(attempt, acquirerId)) return isApproved ? "unexpected" : "processed";
  if (!isApproved && mayBeExplained(attempt, outcome, context.now())) return "later";
  const result = await report(context, attempt, outcome, isApproved);
  if (!isApproved || result === "unexpected") return result;
  // The reply may have arrived meanwhile.
  return (await isAnotherNow(context, attempt, acquirerId)) ? "unexpected" : result;
}

async function isAnotherNow({ db }: PaymentContext, attempt: FoundAttempt, acquirerId: string): Promise<boolean> {
  const latest = db.selectFrom("attempt").selectAll().where(hasKey(attempt));
  return isAnother(await latest.executeTakeFirstOrThrow(), acquirerId);
}

/**
 * Whether the reply to a payment may still say why it was declined. It may be on its way, the decline isn't known yet
 * (`risk/decline-timing.ts`), or the first reply was lost and the request will be repeated soon.
 */
function mayBeExplained(attempt: FoundAttempt, { tried }: Outcome, now: Date): boolean {
  const { status, accepted_at, withdrawn_at } = attempt;
  const isRepeated = status === "processing" && accepted_at === null && withdrawn_at === null;
  return (isBeingCalled(attempt, now) && canTryAgain("later", tried, now)) || (isRepeated && mayGetReply(tried));
}

/** A second capture or refund with the same reference has another ID. It moved money twice, unless the first one failed. */
async function applyMovement(
  context: PaymentContext,
  key: NotificationKey,
  referenced: FoundAttempt,
  kind: "capture" | "refund",
  outcome: Outcome,
  isDone: boolean,
): Promise<Result> {
  const attempt = await requestOf(context, key, referenced, kind, outcome.event);
  if (attempt === undefined || !isSameMoney(attempt, outcome.event)) return "unexpected";
  if (!isDone) return await report(context, attempt, outcome, false);
  const { acquirer_id, status } = attempt;
  const { acquirerId } = outcome.event;
  const isSecond = acquirer_id !== null && acquirer_id !== acquirerId;
  const isRepetition = outcome.unsigned.isRepetition === true;
  if (status !== "processing" && (isSecond || isRepetition))
    return await repeat(context, key, attempt, outcome, isSecond);
  // The first success or its failure may be on its way.
  if (isRepetition && canTryAgain("later", outcome.tried, context.now())) return "later";
  const reported = await reportOutcome(context, attempt, finalOutcome(attempt, outcome, true));
  // The first one may have ended it meanwhile.
  if (reported === "known" && (await isAnotherNow(context, attempt, acquirerId)))
    return await repeat(context, key, attempt, outcome, true);
  if (reported === "contradicts") return "unexpected";
  // A repetition is the outcome now. The failure before it may still come, and with the same ID, it would fail this one.
  return isRepetition && !isSecond ? "early" : "processed";
}

/** Nobody requested a repetition, so it may have the authorization's reference. It's found if it has the same ID. */
async function requestOf(
  { db }: PaymentContext,
  key: NotificationKey,
  referenced: FoundAttempt,
  kind: "capture" | "refund",
  subject: NotificationSubject,
): Promise<FoundAttempt | undefined> {
  if (referenced.kind === kind || referenced.reversal === kind) return referenced;
  if (referenced.kind !== "authorize" || isAnother(referenced, subject.authorizationId)) return undefined;
  return await operationById(db, key, referenced, kind, subject);
}

/** The authorization includes the capture, so only a failure says that there's another one, or that it's repeated. */
async function applyCaptureAtOnce(
  context: PaymentContext,
  key: NotificationKey,
  attempt: FoundAttempt,
  outcome: Outcome,
): Promise<Result> {
  if (attempt.status === "processing") return "later";
  if (outcome.unsigned.isRepetition === true) return await repeat(context, key, attempt, outcome, false);
  const failed = await failedReferences(context.db, attempt);
  if (failed.length === 0) return "processed";
  const { acquirerId } = outcome.event;
  // Its failure was reported first.
  if (await isRepetition(context.db, attempt, acquirerId)) return "processed";
  // It may have been reported late, or repeated without saying so.
  if (failed.includes(acquirerId)) return "unexpected";
  return await repeat(context, key, attempt, outcome, true);
}

async function repeat(
  context: PaymentContext,
  key: NotificationKey,
  attempt: FoundAttempt,
  { event, isReportedAgain }: Outcome,
  isSigned: boolean,
): Promise<Result> {
  const options = {
    isSigned,
    isReportedAgain: isReportedAgain === true,
    retainsRest: await retainsRest(context, attempt, key),
  };
  const hasFailed = await context.db
    .transaction()
    .execute((tx) => succeededAgain(context, tx, attempt, event.acquirerId, options));
  if (hasFailed) return "processed";
  return isSigned ? "unexpected" : "early";
}

async function report(
  context: PaymentContext,
  attempt: Row<"attempt">,
  outcome: Outcome,
  isDone: boolean,
  releasedId: string | null = null,
): Promise<Result> {
  const reported = await reportOutcome(context, attempt, finalOutcome(attempt, outcome, isDone), releasedId);
  return reported === "contradicts" ? "unexpected" : "processed";
}

/** The decline code of a payment is usually in the reply. A notification has only a text, which isn't signed. */
function finalOutcome({ kind }: Row<"attempt">, outcome: Outcome, isDone: boolean): FinalOutcome {
  const details = detailsOf(outcome, isDone);
  if (isDone) return { outcome: "approved", details };
  const isPayment = kind === "authorize" || kind === "verify";
  return { outcome: "declined", declineCode: isPayment ? "generic_decline" : "processing_error", details };
}

function detailsOf({ event, unsigned }: Outcome, isDone: boolean): AcquirerDetails {
  const { refusalReason = null, ...shown } = unsigned.authorization ?? {};
  return {
    ...noDetails,
    ...shown,
    acquirerId: event.acquirerId,
    refusal: isDone ? null : { code: null, reason: unsigned.reason ?? refusalReason },
  };
}
