/**
 * Reversals of authorizations, for acquirers without a lookup (`attempts/send-limits.ts`). A reversal is an attempt of
 * its own, of kind `reverse`. It refers to the authorization with the same charge and `is_step_up`.
 *
 * ```
 *  authorization, never sent again --beginReversal--> reversal by our reference
 *     |                                                  |-- approved --> the authorization has failed
 *     |                                                  +-- declined --> a notification has the outcome, if there's one
 *     |
 *     +-- approved after that, or after it had failed --undoLateApproval--> reversal by the acquirer's ID
 *                                                           |-- approved --> the customer has the money again
 *                                                           +-- declined --> a person has to look
 * ```
 * An authorization never succeeds once its reversal has begun, so the customer can pay again after it failed. Every change
 * locks the authorization first, and its reversals after that. So an approval that's being recorded can't miss the reversal.
 *
 * While the reversal by our reference has no outcome, the second one waits for it, for an hour: if the first succeeds,
 * there's nothing left to undo, and no capture to enter in the ledger. If it succeeds later than that, it ends the second
 * one.
 *
 * A reversal by our reference may get no response for days. It ends as declined once nothing depends on it. If it's
 * reported as done after that, it still ends the second one.
 */
import type { EmailContext } from "../../merchants/emails/outbox.ts";
import { noCause } from "../../platform/cause.ts";
import { newId } from "../../platform/ids.ts";
import type { Db, Tx } from "../../platform/storage/database.ts";
import { hasId, hasKey } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";
import { finish, insertAttempt } from "../attempts/attempt-state.ts";
import { earlierReversalSeconds } from "../attempts/deadlines.ts";
import { notProcessed } from "../attempts/final-reply.ts";
import { raiseAgain } from "../attention/raise-attention.ts";
import { resolveItself } from "../attention/resolve-attention.ts";
import { chargeOf, enterCapture, hasCaptureFailed, takeBackCapture } from "./late-captures.ts";
import { raiseLateChange } from "./raise-late-change.ts";

type Context = EmailContext;

/** The authorization that a reversal undoes. */
export async function findReversed(db: Db, reversal: Row<"attempt">): Promise<Row<"attempt">> {
  return await ofSameAuthorization(db, reversal).where("kind", "=", "authorize").executeTakeFirstOrThrow();
}

/** The reversals of an authorization: at most one by our reference and one by the acquirer's ID. */
async function findReversals(db: Db, authorization: Row<"attempt">) {
  const found = await ofSameAuthorization(db, authorization).where("kind", "=", "reverse").execute();
  return {
    byReference: found.find(({ reversal }) => reversal === "reference"),
    byId: found.find(({ reversal }) => reversal !== "reference"),
  };
}

/** Whether an approval of this authorization comes too late. The caller has locked the authorization. */
export async function isBeingReversed(tx: Tx, authorization: Row<"attempt">): Promise<boolean> {
  return (await findReversals(tx, authorization)).byReference !== undefined;
}

/**
 * Inserts the reversal by our reference of an authorization whose outcome is unknown.
 *
 * @param authorization with the time from which on it's never sent again, as `withdrawn_at`
 * @returns the reversal to run, or null if the outcome is known by now, or if it's already being reversed
 */
export async function beginReversal(context: Context, tx: Tx, authorization: Row<"attempt">): Promise<string | null> {
  const { withdrawn_at } = authorization;
  const open = await tx
    .updateTable("attempt")
    .set((eb) => ({ withdrawn_at: eb.fn.coalesce("withdrawn_at", eb.val(withdrawn_at)) }))
    .where(hasKey(authorization))
    .where("status", "=", "processing")
    .returning("id")
    .executeTakeFirst();
  if (open === undefined || (await isBeingReversed(tx, authorization))) return null;
  return await insertReversal(context, tx, authorization, "reference");
}

/**
 * Whether an approval isn't the one that is being undone, but a second payment with the same reference. There's only one
 * reversal by the acquirer's ID, so that payment can't be undone.
 */
export async function isSecondApproval(
  db: Db,
  authorization: Row<"attempt">,
  approvedId: string | null,
): Promise<boolean> {
  const { byId } = await findReversals(db, authorization);
  return byId !== undefined && approvedId !== null && authorization.acquirer_id !== approvedId;
}

/**
 * Undoes the approval of an authorization that has ended as declined. Calling it again changes nothing.
 *
 * @param approvedId the acquirer's ID of the approved authorization
 * @returns the reversal to run, or null if there's nothing to undo now
 */
export async function undoLateApproval(
  context: Context,
  tx: Tx,
  authorization: Row<"attempt">,
  approvedId: string | null,
): Promise<string | null> {
  const { byReference, byId } = await findReversals(tx, authorization);
  const isSame = authorization.acquirer_id === null || authorization.acquirer_id === approvedId;
  if (byId !== undefined || (byReference?.status === "approved" && isSame)) return null;
  const known = await tx
    .updateTable("attempt")
    .set({ acquirer_id: approvedId })
    .where(hasKey(authorization))
    .returningAll()
    .executeTakeFirstOrThrow();
  const { capture_method } = await chargeOf(tx, known);
  const isCaptured = capture_method === "automatic";
  if (isCaptured && (await hasCaptureFailed(tx, known))) {
    await enterCapture(context, tx, known);
    return null;
  }
  const kind = isCaptured ? "refund" : "cancel";
  if (byReference?.status === "processing") {
    const latest = new Date(context.now().getTime() + earlierReversalSeconds * 1000);
    await insertReversal(context, tx, known, kind, latest);
    return null;
  }
  if (isCaptured) await enterCapture(context, tx, known);
  return await insertReversal(context, tx, known, kind);
}

/**
 * Applies the outcome of a reversal. The caller settles the authorization if it's still open.
 *
 * @param reversal is final
 * @param authorization is locked ({@link lockReversed})
 * @param releasedId the acquirer's ID of the authorization that a reversal by our reference has released
 * @returns the authorization, whether it has failed, and the reversal to run next
 */
export async function settleReversal(
  context: Context,
  tx: Tx,
  reversal: Row<"attempt">,
  authorization: Row<"attempt">,
  releasedId: string | null,
): Promise<{ reversed: Row<"attempt">; hasFailed: boolean; next: string | null }> {
  const isDone = reversal.decline_code === null;
  if (reversal.reversal !== "reference") {
    if (!isDone) await raiseReversalFailed(context, tx, reversal, authorization);
    // The customer has got money that the merchant never had.
    else if (reversal.reversal === "refund" && (await hasCaptureFailed(tx, authorization)))
      await raiseLateChange(context, tx, authorization, "capture_failed_late");
    return { reversed: authorization, hasFailed: false, next: null };
  }
  const acquirer_id = authorization.acquirer_id ?? (isDone ? releasedId : null);
  await tx.updateTable("attempt").set({ acquirer_id }).where(hasKey(authorization)).execute();
  const reversed = { ...authorization, acquirer_id };
  const hasFailed = isDone && authorization.status === "processing";
  const { byId } = await findReversals(tx, authorization);
  if (byId === undefined) return { reversed, hasFailed, next: null };
  const isReleased = isDone && (releasedId === null || releasedId === acquirer_id);
  if (!isReleased) return { reversed, hasFailed, next: await endWait(context, tx, byId, reversed) };
  await endReleased(context, tx, byId, reversed);
  return { reversed, hasFailed, next: null };
}

/**
 * Whether this is a reversal by our reference that is no longer needed: the acquirer hasn't accepted it, the authorization
 * has ended, and so has its other reversal, if there's one.
 */
export async function isPointless(db: Db, attempt: Row<"attempt">): Promise<boolean> {
  if (attempt.reversal !== "reference" || attempt.accepted_at !== null) return false;
  const authorization = await findReversed(db, attempt);
  const { byId } = await findReversals(db, authorization);
  return authorization.status !== "processing" && byId?.status !== "processing";
}

/**
 * Applies that a reversal by our reference is done although it had ended as declined.
 *
 * @param authorization is locked
 * @returns false if that isn't expected, because the authorization is still open
 */
export async function releasedLate(
  context: Context,
  tx: Tx,
  reversal: Row<"attempt">,
  authorization: Row<"attempt">,
  releasedId: string | null,
): Promise<boolean> {
  if (authorization.status === "processing") return false;
  await settleReversal(context, tx, { ...reversal, decline_code: null }, authorization, releasedId);
  return true;
}

/**
 * Enters the capture of a late approval in the ledger, if it isn't there. Its refund is about to be sent. Changes nothing
 * if the reversal has ended meanwhile.
 */
export async function enterLateCapture(context: Context, tx: Tx, reversal: Row<"attempt">): Promise<void> {
  const authorization = await lockReversed(tx, reversal);
  const { byId } = await findReversals(tx, authorization);
  if (byId?.status !== "processing") return;
  await enterCapture(context, tx, authorization);
}

/**
 * The capture of a late approval has failed, so its refund fails because nothing is captured. Nobody has to look at that.
 *
 * @param authorization has ended as declined
 * @returns true if the refund was made before, so that the merchant has paid it
 */
export async function lateCaptureFailed({ now }: Context, tx: Tx, authorization: Row<"attempt">): Promise<boolean> {
  const { byId } = await findReversals(tx, authorization);
  if (byId?.reversal !== "refund") return false;
  await resolveItself(tx, tenantOf(byId), ["reversal_failed"], byId.id, now());
  return byId.status === "approved";
}

/**
 * The customer may have paid for nothing.
 *
 * @returns false if it was raised before, or if there was nothing to refund because the capture has failed
 */
export async function raiseReversalFailed(
  context: Context,
  tx: Tx,
  reversal: Row<"attempt">,
  authorization: Row<"attempt">,
): Promise<boolean> {
  if (reversal.reversal === "refund" && (await hasCaptureFailed(tx, authorization))) return false;
  const { currency } = await chargeOf(tx, authorization);
  return await raiseAgain(context, tx, tenantOf(reversal), {
    kind: "reversal_failed",
    subject: reversal.id,
    chargeId: reversal.charge_id,
    attemptId: reversal.id,
    details: {
      reference: authorization.id,
      acquirer_id: authorization.acquirer_id,
      operation: reversal.reversal,
      operation_id: reversal.acquirer_id,
      amount: reversal.amount,
      currency,
      reason: reversal.refusal_reason,
    },
  });
}

async function insertReversal(
  context: Context,
  tx: Tx,
  { decision_id, is_step_up, charge_id, amount, ...owned }: Row<"attempt">,
  reversal: NonNullable<Row<"attempt">["reversal"]>,
  dueAt?: Date,
): Promise<string> {
  const owner = tenantOf(owned);
  const id = newId("att", context.now(), owner);
  const attempt = { id, kind: "reverse", decision_id, is_step_up, charge_id, amount, reversal } as const;
  await insertAttempt(context, tx, owner, attempt, noCause, dueAt);
  return id;
}

/** Locks the authorization that a reversal undoes. Must come before any lock of a reversal. */
export async function lockReversed(tx: Tx, reversal: Row<"attempt">): Promise<Row<"attempt">> {
  return await ofSameAuthorization(tx, reversal)
    .where("kind", "=", "authorize")
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
}

/** The reversal by our reference has ended without releasing the approval. @returns the waiting reversal, to run now */
async function endWait(
  context: Context,
  tx: Tx,
  byId: Row<"attempt">,
  authorization: Row<"attempt">,
): Promise<string | null> {
  if (byId.status !== "processing" || byId.calls > 0) return null;
  await tx.updateTable("attempt").set({ next_call_at: context.now() }).where(hasKey(byId)).execute();
  if (byId.reversal === "refund") await enterCapture(context, tx, authorization);
  return byId.id;
}

/** The approval was released by our reference: it was never captured, and there's nothing left to undo. */
async function endReleased(
  context: Context,
  tx: Tx,
  byId: Row<"attempt">,
  authorization: Row<"attempt">,
): Promise<void> {
  if (byId.status === "processing") await finish(tx, byId.id, notProcessed(byId), context.now());
  const kinds = ["outcome_unknown", "operation_overdue", "reversal_failed"] as const;
  await resolveItself(tx, tenantOf(byId), kinds, byId.id, context.now());
  if (byId.reversal === "refund" && byId.status !== "approved") await takeBackCapture(context, tx, authorization);
}

/** By the charge, because only the charge's index has attempts of every kind. */
function ofSameAuthorization(db: Db, { charge_id, is_step_up }: Row<"attempt">) {
  return db.selectFrom("attempt").selectAll().where(hasId(charge_id, "charge_id")).where("is_step_up", "=", is_step_up);
}
