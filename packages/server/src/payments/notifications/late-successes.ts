/**
 * A capture or refund that has succeeded at the acquirer after it had failed: Adyen captures some payments again by
 * itself. The ledger decides what the merchant has in the end, so the order of the reports doesn't matter:
 *
 * ```
 * reported                                     ledger                                   charge of a capture
 * captured                                     capture A                                succeeded
 * captured, failed                             capture A, capture_failed A              failed
 * captured, failed, captured again with ID A   ... and capture_repeated A               succeeded
 * captured, failed, captured again with ID B   ... and capture_repeated B               succeeded
 * captured, captured again with ID B, failed   the same                                 succeeded all the time
 * ... and B failed too                         ... and capture_failed B                 failed
 * captured, failed while refunded, again       ... and capture_repeated, refund         succeeded all the time
 * ```
 * A refund is the same with `refund_repeated`. It stays `failed` if its amount was refunded in another way meanwhile. A
 * charge that's canceled stays canceled, and the capture of an approval that came too late is undone or left to a person.
 * A person is always notified.
 */
import type { Db, Tx } from "../../platform/storage/database.ts";
import { hasId, hasKey } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";
import { raiseAgain } from "../attention/raise-attention.ts";
import { resolveItself } from "../attention/resolve-attention.ts";
import type { PaymentContext } from "../context.ts";
import { failures, followLedger } from "../flow/follow-ledger.ts";
import { enterInLedger, type NewLedgerEntry } from "../ledger/enter.ts";
import { chargeOf } from "../reversals/late-captures.ts";
import { raiseLateChange } from "../reversals/raise-late-change.ts";
import { lockReversed, undoLateApproval } from "../reversals/reversals.ts";

type Entry = Pick<Row<"ledger_entry">, "kind" | "reference" | "amount">;

const repetitions = ["capture_repeated", "refund_repeated"] as const;

/** The acquirer's IDs of those movements of an attempt that have failed. */
export async function failedReferences(db: Db, attempt: Row<"attempt">): Promise<string[]> {
  return (await entriesOf(db, attempt)).filter(({ kind }) => failures.has(kind)).map(({ reference }) => reference);
}

/** Whether the movement with this ID of the acquirer succeeded after an earlier one had failed. */
export async function isRepetition(db: Db, attempt: Row<"attempt">, reference: string): Promise<boolean> {
  return (await entriesOf(db, attempt)).some((entry) => isRepeated(entry, reference));
}

/**
 * A failure says that the money had moved before. Enters that movement if it was never reported, so that the failure doesn't
 * balance another one. It may still be reported, and then changes nothing.
 *
 * @param reference the acquirer's ID of what has failed, which is in the ledger
 */
export async function enterFailedMovement(
  { now }: Pick<PaymentContext, "now">,
  tx: Tx,
  attempt: Row<"attempt">,
  reference: string,
): Promise<void> {
  // The capture of a late approval is entered when that's undone.
  if (attempt.kind === "authorize" && attempt.status !== "approved") return;
  const entries = await entriesOf(tx, attempt);
  if (timesMoved(attempt, entries) >= 0) return;
  const isAgain = entries.some(({ kind }) => kind === "capture" || kind === "refund");
  await enterInLedger(tx, tenantOf(attempt), await movementOf(tx, attempt, reference, isAgain), now());
}

/** Whether a capture or refund that has ended as declined was reported as done after that. */
export async function hasSucceeded(db: Db, attempt: Row<"attempt">): Promise<boolean> {
  return (await entriesOf(db, attempt)).some(({ kind }) => !failures.has(kind));
}

/**
 * A capture or refund has succeeded again. Calling it again changes nothing.
 *
 * @param known has ended
 * @param reference the acquirer's ID of what has succeeded
 * @param isSigned false if only fields that aren't signed say that it isn't the first success. It then changes nothing
 *   before a failure is known.
 * @param isReportedAgain whether it may be another success than an earlier one with this ID. Only a date that isn't signed
 *   says so, so a person is notified, and nothing changes.
 * @param retainsRest whether the acquirer doesn't release what wasn't captured
 * @returns false if no failure is known, or a decline that nothing has contradicted. The ledger then has it all the same if
 *   that's signed.
 */
export async function succeededAgain(
  context: PaymentContext,
  tx: Tx,
  known: Row<"attempt">,
  reference: string,
  { isSigned, isReportedAgain, retainsRest }: { isSigned: boolean; isReportedAgain: boolean; retainsRest: boolean },
): Promise<boolean> {
  if (known.kind === "reverse") await lockReversed(tx, known);
  const attempts = tx.selectFrom("attempt").selectAll().where(hasKey(known));
  const attempt = await attempts.forNoKeyUpdate().executeTakeFirstOrThrow();
  const entries = await entriesOf(tx, attempt);
  const isDeclined = attempt.status === "declined" && attempt.kind !== "authorize";
  const isFirst = isDeclined && entries.every((entry) => isRepeated(entry, reference));
  const hasFailed = isFirst || entries.some(({ kind }) => failures.has(kind));
  if (!hasFailed && !isSigned) return false;
  const ofThis = entries.filter((entry) => entry.reference === reference);
  const isKnown = ofThis.some(({ kind }) => !failures.has(kind));
  if (isKnown && isReportedAgain) {
    await raiseLateChange(context, tx, attempt, lateChangeOf(attempt), reference, raiseAgain);
    return hasFailed;
  }
  // It was the outcome, because nothing was known of the one before it. A payment that was captured at once has another one.
  const isOutcome = attempt.kind !== "authorize" && ofThis.some(({ kind }) => kind === "capture" || kind === "refund");
  if (isOutcome && !ofThis.some(({ kind }) => failures.has(kind))) return hasFailed;
  await enterInLedger(tx, tenantOf(attempt), await movementOf(tx, attempt, reference, true), context.now());
  if (hasFailed) await applySuccess(context, tx, attempt, reference, retainsRest);
  return hasFailed;
}

/**
 * Applies that a capture or refund has succeeded after it had failed, if that's what its ledger entries say.
 *
 * @param attempt is locked
 * @param reference the acquirer's ID of what has succeeded
 * @returns false if its money hasn't moved in the end
 */
export async function applySuccess(
  context: PaymentContext,
  tx: Tx,
  attempt: Row<"attempt">,
  reference: string,
  retainsRest: boolean,
): Promise<boolean> {
  if (timesMoved(attempt, await entriesOf(tx, attempt)) <= 0) return false;
  await raiseLateChange(context, tx, attempt, lateChangeOf(attempt), reference);
  const { id, kind, charge_id, acquirer_id } = attempt;
  if (kind === "reverse") await resolveItself(tx, tenantOf(attempt), ["reversal_failed"], id, context.now());
  else if (!isLateApproval(attempt) && charge_id !== null)
    await followLedger(context, tx, charge_id, { about: attempt, retainsRest });
  // The payment has failed for the merchant. A worker runs the reversal.
  else if (acquirer_id !== null) await undoLateApproval(context, tx, attempt, acquirer_id);
  return true;
}

function lateChangeOf(attempt: Row<"attempt">) {
  return movesToCustomer(attempt) ? "refunded_again" : "captured_again";
}

/** The ledger entry of an attempt's capture or refund, or of its repetition. */
export async function movementOf(
  tx: Tx,
  attempt: Row<"attempt">,
  reference: string,
  isAgain: boolean,
): Promise<NewLedgerEntry> {
  const { id: attemptId, charge_id: chargeId, amount } = attempt;
  if (chargeId === null) throw new Error(`Bug: attempt ${attemptId} has no charge`);
  const { currency } = await chargeOf(tx, attempt);
  const movement = movesToCustomer(attempt)
    ? ({ kind: isAgain ? "refund_repeated" : "refund", amount: -amount } as const)
    : ({ kind: isAgain ? "capture_repeated" : "capture", amount } as const);
  return { chargeId, reference, currency, attemptId, ...movement };
}

/** How often the attempt's amount has moved in the end. Negative if a failure was reported, but not its success. */
function timesMoved(attempt: Row<"attempt">, entries: readonly Entry[]): number {
  const sum = entries.reduce((total, { amount }) => total + amount, 0);
  return (movesToCustomer(attempt) ? -sum : sum) / attempt.amount;
}

/** Whether an authorization has ended as declined, so that what succeeds for it came too late. */
export function isLateApproval({ kind, status }: Row<"attempt">): boolean {
  return kind === "authorize" && status === "declined";
}

/** Whether an attempt is a refund, also one that reverses a late approval. */
export function movesToCustomer({ kind, reversal }: Row<"attempt">): boolean {
  return kind === "refund" || reversal === "refund";
}

function isRepeated({ kind, reference }: Entry, repetition: string): boolean {
  return reference === repetition && repetitions.some((one) => one === kind);
}

async function entriesOf(db: Db, { id, charge_id }: Row<"attempt">): Promise<Entry[]> {
  const entries = db.selectFrom("ledger_entry").select(["kind", "reference", "amount"]);
  return await entries.where(hasId(charge_id, "charge_id")).where("attempt_id", "=", id).execute();
}
