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
 * A person is always told.
 */
import { causeOf } from "../attempts/attempt-state.ts";
import { resolveItself } from "../attention/resolve-attention.ts";
import { toChargeWithSession } from "../charges/charge-object.ts";
import { recover as recoverCharge } from "../charges/charge-state.ts";
import type { PaymentContext } from "../context.ts";
import { recordEvent } from "../events/record-event.ts";
import { enterInLedger } from "../ledger/enter.ts";
import type { Db, Tx } from "../../platform/storage/database.ts";
import { hasId, hasKey } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";
import { toRefund } from "../refunds/refund-object.ts";
import { recover as recoverRefund } from "../refunds/refund-state.ts";
import { recoverCapture } from "../sessions/session-state.ts";
import { chargeOf } from "./late-captures.ts";
import { lockReversed, undoLateApproval } from "./reversals.ts";
import { tellLateChange } from "./tell-late-change.ts";

type Entry = Pick<Row<"ledger_entry">, "kind" | "reference" | "amount">;

const failures: ReadonlySet<Entry["kind"]> = new Set(["capture_failed", "refund_failed", "refund_reversed"]);
const repetitions = ["capture_repeated", "refund_repeated"] as const;

/** The acquirer's IDs of those movements of an attempt that have failed. */
export async function failedReferences(db: Db, attempt: Row<"attempt">): Promise<string[]> {
  return (await entriesOf(db, attempt)).filter(({ kind }) => failures.has(kind)).map(({ reference }) => reference);
}

/** Whether the movement with this ID of the acquirer succeeded after an earlier one had failed. */
export async function isRepetition(db: Db, attempt: Row<"attempt">, reference: string): Promise<boolean> {
  const entries = await entriesOf(db, attempt);
  return entries.some((entry) => entry.reference === reference && repetitions.some((kind) => kind === entry.kind));
}

/**
 * A capture or refund has succeeded again. Calling it again changes nothing.
 *
 * @param known has ended
 * @param reference the acquirer's ID of what has succeeded
 * @param isSigned false if only fields that aren't signed say that it isn't the first success. It then changes nothing
 *   before a failure is known.
 * @returns false if no failure is known. The ledger then has it all the same if that's signed.
 */
export async function succeededAgain(
  context: PaymentContext,
  tx: Tx,
  known: Row<"attempt">,
  reference: string,
  isSigned: boolean,
): Promise<boolean> {
  if (known.kind === "reverse") await lockReversed(tx, known);
  const attempts = tx.selectFrom("attempt").selectAll().where(hasKey(known));
  const attempt = await attempts.forNoKeyUpdate().executeTakeFirstOrThrow();
  const isDeclined = attempt.status === "declined" && attempt.kind !== "authorize";
  const hasFailed = isDeclined || (await failedReferences(tx, attempt)).length > 0;
  if (!hasFailed && !isSigned) return false;
  const { id: attemptId, charge_id: chargeId, amount: sent } = attempt;
  if (chargeId === null) throw new Error(`Bug: attempt ${attemptId} has no charge`);
  const { currency } = await chargeOf(tx, attempt);
  const [kind, amount] = movesToCustomer(attempt)
    ? (["refund_repeated", -sent] as const)
    : (["capture_repeated", sent] as const);
  const entry = { chargeId, kind, reference, amount, currency, attemptId };
  await enterInLedger(tx, tenantOf(attempt), entry, context.now());
  if (hasFailed) await applySuccess(context, tx, attempt, reference);
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
): Promise<boolean> {
  const isRefund = movesToCustomer(attempt);
  const moved = (await entriesOf(tx, attempt)).reduce((sum, { amount }) => sum + amount, 0);
  if (isRefund ? moved >= 0 : moved <= 0) return false;
  await tellLateChange(context, tx, attempt, isRefund ? "refunded_again" : "captured_again", reference);
  if (attempt.refund_id !== null) await succeedRefund(context, tx, attempt, attempt.refund_id);
  else if (isRefund) await resolveItself(tx, tenantOf(attempt), ["reversal_failed"], attempt.id, context.now());
  else if (attempt.kind === "capture" || attempt.status === "approved") await succeedCharge(context, tx, attempt);
  // The payment has failed for the merchant. A worker runs the reversal.
  else if (attempt.acquirer_id !== null) await undoLateApproval(context, tx, attempt, attempt.acquirer_id);
  return true;
}

async function succeedCharge(context: PaymentContext, tx: Tx, attempt: Row<"attempt">): Promise<void> {
  const { charge_id: id, amount } = attempt;
  const charge = id === null ? undefined : await recoverCharge(tx, id, amount);
  if (charge === undefined) return;
  const { session_id, decision_id } = charge;
  const session = session_id === null ? null : await recoverCapture(tx, session_id, decision_id);
  const happening = { type: "payment.succeeded", object: toChargeWithSession(charge, session) } as const;
  await recordEvent(context, tx, tenantOf(charge), happening, causeOf(attempt));
}

async function succeedRefund(context: PaymentContext, tx: Tx, attempt: Row<"attempt">, id: string): Promise<void> {
  const refund = await recoverRefund(tx, id);
  if (refund === undefined) return;
  const happening = { type: "refund.succeeded", object: toRefund(refund) } as const;
  await recordEvent(context, tx, tenantOf(refund), happening, causeOf(attempt));
}

/** Whether an attempt is a refund, also one that reverses a late approval. */
export function movesToCustomer({ kind, reversal }: Row<"attempt">): boolean {
  return kind === "refund" || reversal === "refund";
}

async function entriesOf(db: Db, { id, charge_id }: Row<"attempt">): Promise<Entry[]> {
  const entries = db.selectFrom("ledger_entry").select(["kind", "reference", "amount"]);
  return await entries.where(hasId(charge_id, "charge_id")).where("attempt_id", "=", id).execute();
}
