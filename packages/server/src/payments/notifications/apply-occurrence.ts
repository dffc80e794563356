/**
 * Applies what happened without a request, or long after it: failures after the outcome, expired authorizations, disputes
 * and reports of fraud. Each is one transaction. The reference is the authorization's. Only for a failure, it may be the
 * capture's or refund's own, because the acquirer's ID says what failed.
 */
import {
  isDisputeStep,
  type DisputeStep,
  type NotificationSubject,
  type NotifiedOccurrence,
  type UnsignedFields,
} from "@oriel/vault";
import type { Tx } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";
import type { PaymentContext } from "../context.ts";
import { recordDisputeStep } from "../disputes/record-dispute.ts";
import { retainsRest } from "../flow/release-rest.ts";
import { enterInLedger } from "../ledger/enter.ts";
import { isAnother, isSameMoney, operationOf, type FoundAttempt } from "./find-attempts.ts";
import { captureFailed, failedAgain, holdReleased, refundFailed } from "./late-changes.ts";
import { enterFailedMovement, isRepetition } from "./late-successes.ts";
import type { NotificationKey } from "./queue.ts";
import { raiseAboutNotification } from "./raise-about-notification.ts";
import type { Contents, Result } from "./stored.ts";

type Occurrence = Contents & { event: { type: NotifiedOccurrence | DisputeStep } & NotificationSubject };

export async function applyOccurrence(
  context: PaymentContext,
  key: NotificationKey,
  attempt: FoundAttempt,
  occurrence: Occurrence,
): Promise<Result> {
  const { db } = context;
  const { event, unsigned } = occurrence;
  const { charge_id: chargeId } = attempt;
  if (chargeId === null) return "unexpected";
  const { type } = event;
  const isAgain = occurrence.isReportedAgain === true;
  if (type === "capture_failed") return await failCapture(context, key, attempt, event, isAgain);
  if (type === "refund_failed" || type === "refund_reversed")
    return await failRefund(context, key, attempt, event, type, isAgain);
  if (attempt.kind !== "authorize") return "unexpected";
  if (isDisputeStep(type)) return await applyDispute(context, key, chargeId, type, event, unsigned);
  switch (type) {
    case "authorization_expired": {
      if (isAnother(attempt, event.authorizationId)) return "unexpected";
      const expired = await db.transaction().execute((tx) => holdReleased(context, tx, chargeId));
      return expired === "busy" ? "waits" : "processed";
    }
    case "fraud_reported":
      await db
        .transaction()
        .execute((tx) => raiseAboutNotification(context, tx, key, "fraud_reported", occurrence, attempt));
      return "processed";
  }
}

/** @param referenced with the notification's reference */
export async function failCapture(
  context: PaymentContext,
  key: NotificationKey,
  referenced: FoundAttempt,
  subject: NotificationSubject,
  isAgain = false,
): Promise<Result> {
  if (referenced.kind === "authorize" && isAnother(referenced, subject.authorizationId)) return "unexpected";
  const capture = await operationOf(context.db, key, referenced, "capture", subject);
  if (typeof capture === "string") return capture;
  if (!isSameMoney(capture, subject)) return "unexpected";
  const rest = { retainsRest: await retainsRest(context, capture, key) };
  await context.db.transaction().execute(async (tx) => {
    const entry = entryOf(capture, subject, "capture_failed", -1);
    const isNew = await enterInLedger(tx, tenantOf(key), entry, context.now());
    if (!isNew && !isAgain) return;
    const repetition = await repetitionOf(tx, capture, subject);
    if (!isNew) return await failedAgain(context, tx, capture, repetition);
    await captureFailed(context, tx, capture, { repetition, ...rest });
    await enterFailedMovement(context, tx, capture, subject.acquirerId);
  });
  return "processed";
}

async function failRefund(
  context: PaymentContext,
  key: NotificationKey,
  referenced: FoundAttempt,
  subject: NotificationSubject,
  kind: "refund_failed" | "refund_reversed",
  isAgain = false,
): Promise<Result> {
  const refund = await operationOf(context.db, key, referenced, "refund", subject);
  if (typeof refund === "string") return refund;
  if (!isSameMoney(refund, subject)) return "unexpected";
  await context.db.transaction().execute(async (tx) => {
    const entry = entryOf(refund, subject, kind, 1);
    const isNew = await enterInLedger(tx, tenantOf(key), entry, context.now());
    if (!isNew && !isAgain) return;
    const repetition = await repetitionOf(tx, refund, subject);
    if (!isNew) return await failedAgain(context, tx, refund, repetition);
    await refundFailed(context, tx, refund, repetition);
    await enterFailedMovement(context, tx, refund, subject.acquirerId);
  });
  return "processed";
}

/** The acquirer's ID of what has failed, if it had succeeded again. */
async function repetitionOf(tx: Tx, attempt: FoundAttempt, { acquirerId }: NotificationSubject) {
  return (await isRepetition(tx, attempt, acquirerId)) ? acquirerId : null;
}

function entryOf(
  { id: attemptId, charge_id, amount, currency }: FoundAttempt,
  { acquirerId: reference }: NotificationSubject,
  kind: Row<"ledger_entry">["kind"],
  sign: 1 | -1,
) {
  if (charge_id === null) throw new Error(`Bug: attempt ${attemptId} has no charge`);
  return { chargeId: charge_id, kind, reference, amount: sign * amount, currency, attemptId };
}

async function applyDispute(
  context: PaymentContext,
  key: NotificationKey,
  chargeId: string,
  step: DisputeStep,
  subject: NotificationSubject,
  unsigned: UnsignedFields,
): Promise<Result> {
  const news = { chargeId, step, subject, unsigned: unsigned.dispute };
  const isComplete = await context.db
    .transaction()
    .execute((tx) => recordDisputeStep(context, tx, tenantOf(key), news));
  return isComplete ? "processed" : "unexpected";
}
