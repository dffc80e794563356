/**
 * What the acquirer reports after an outcome, or instead of it: a capture or refund that had succeeded has failed, or a hold
 * was released, because the authorization has expired or a cancellation was done after all. `late-successes.ts` applies the opposite. The caller enters the movement in the ledger
 * (`ledger/enter.ts`), and calls these functions in the same transaction. Calling one again changes nothing.
 *
 * A failure can arrive before the outcome. Then the attempt ends as declined, and the charge fails as in the other order.
 * The outcome changes nothing when it arrives, except that the ledger gets its movement (`report-outcome.ts`).
 */
import { noCause } from "../../platform/cause.ts";
import type { Tx } from "../../platform/storage/database.ts";
import { hasId, hasKey } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";
import { notProcessed } from "../attempts/final-reply.ts";
import { readSubject } from "../attempts/subject.ts";
import { raiseAgain } from "../attention/raise-attention.ts";
import { toChargeWithSession } from "../charges/charge-object.ts";
import { endHold } from "../charges/charge-state.ts";
import type { PaymentContext } from "../context.ts";
import { recordEvent } from "../events/record-event.ts";
import { endInTransaction } from "../flow/end-attempt.ts";
import { followLedger } from "../flow/follow-ledger.ts";
import { raiseLateChange } from "../reversals/raise-late-change.ts";
import { lateCaptureFailed, lockReversed, raiseReversalFailed } from "../reversals/reversals.ts";
import { settleReserved } from "../sessions/session-state.ts";
import { hasSucceeded, isLateApproval } from "./late-successes.ts";

/**
 * - `ended`: its outcome wasn't known yet, and it has ended as declined. The charge of a capture has failed.
 * - `failed`: the charge or refund has failed now.
 * - `in_ledger`: only the ledger knows, because something of the charge is refunded, or because it was captured or refunded
 *   again.
 * - `known`: it had failed before.
 */
export type LateFailure = "ended" | "failed" | "in_ledger" | "known";

/**
 * A capture has failed at the acquirer.
 *
 * @param attempt the capture, or the authorization of a charge that was captured at once
 * @param options.repetition the acquirer's ID of what has failed if it had succeeded after the first one had failed
 * @param options.retainsRest whether the acquirer keeps reserved what wasn't captured
 */
export async function captureFailed(
  context: PaymentContext,
  tx: Tx,
  attempt: Row<"attempt">,
  { repetition = null, retainsRest = false }: { repetition?: string | null; retainsRest?: boolean } = {},
): Promise<LateFailure> {
  const locked = await lock(tx, attempt);
  const { status, charge_id } = locked;
  if (charge_id === null) throw new Error(`Bug: attempt ${locked.id} has no charge`);
  if (status === "processing") return await failEarly(context, tx, locked, retainsRest);
  const raise = () => raiseLateChange(context, tx, locked, "capture_failed_late", repetition);
  if (isLateApproval(locked))
    return (await lateCaptureFailed(context, tx, locked)) && (await raise()) ? "in_ledger" : "known";
  if (status === "declined" && !(await hasSucceeded(tx, locked))) return "known";
  const isNew = await raise();
  const { hasFailed } = await followLedger(context, tx, charge_id, { about: locked });
  if (hasFailed) return "failed";
  return isNew ? "in_ledger" : "known";
}

/**
 * A refund has failed at the acquirer, or came back.
 *
 * @param attempt the refund, or a reversal that refunds a late approval
 * @param repetition as for {@link captureFailed}
 */
export async function refundFailed(
  context: PaymentContext,
  tx: Tx,
  attempt: Row<"attempt">,
  repetition: string | null = null,
): Promise<LateFailure> {
  const reversed = attempt.kind === "reverse" ? await lockReversed(tx, attempt) : null;
  const locked = await lock(tx, attempt);
  const { status, charge_id, refund_id } = locked;
  if (status === "processing") return await failEarly(context, tx, locked, false);
  if (status === "declined" && !(await hasSucceeded(tx, locked))) return "known";
  if (reversed !== null) return (await raiseReversalFailed(context, tx, locked, reversed)) ? "in_ledger" : "known";
  if (charge_id === null || refund_id === null) throw new Error(`Bug: attempt ${locked.id} has no refund`);
  const isNew = await raiseLateChange(context, tx, locked, "refund_failed_late", repetition);
  const { failedRefunds } = await followLedger(context, tx, charge_id, { about: locked });
  if (failedRefunds.includes(refund_id)) return "failed";
  return isNew ? "in_ledger" : "known";
}

/**
 * A capture or refund that had failed is reported as failed again, with the same ID. It may have succeeded in between, or the
 * report may be a copy with another date: the signature covers no date. So nothing moves, and a person has to look.
 *
 * @param repetition as for {@link captureFailed}
 */
export async function failedAgain(
  context: PaymentContext,
  tx: Tx,
  attempt: Row<"attempt">,
  repetition: string | null,
): Promise<void> {
  if (attempt.kind === "reverse")
    return void (await raiseReversalFailed(context, tx, attempt, await lockReversed(tx, attempt)));
  if (isLateApproval(attempt) && !(await lateCaptureFailed(context, tx, attempt))) return;
  const kind = attempt.kind === "refund" ? "refund_failed_late" : "capture_failed_late";
  await raiseLateChange(context, tx, attempt, kind, repetition, raiseAgain);
}

/**
 * The acquirer has released what an authorization reserved.
 *
 * @returns `busy` if the authorization, a capture or a cancellation is in progress. Its own outcome comes first, which can
 *   take days, so call this again until it's known.
 */
export async function holdReleased(
  context: PaymentContext,
  tx: Tx,
  chargeId: string,
): Promise<"canceled" | "busy" | "known"> {
  const charges = tx.selectFrom("charge").selectAll().where(hasId(chargeId));
  const charge = await charges.forNoKeyUpdate().executeTakeFirstOrThrow();
  if (charge.status === "processing" || charge.busy_attempt_id !== null) return "busy";
  if (charge.status !== "authorized" || (await followLedger(context, tx, chargeId)).hasRecovered) return "known";
  const canceled = await endHold(tx, chargeId);
  const { session_id, decision_id } = canceled;
  const session = session_id === null ? null : await settleReserved(tx, session_id, decision_id, "unpaid");
  const happening = { type: "charge.canceled", object: toChargeWithSession(canceled, session) } as const;
  await recordEvent(context, tx, tenantOf(canceled), happening, noCause);
  return "canceled";
}

async function failEarly(
  context: PaymentContext,
  tx: Tx,
  attempt: Row<"attempt">,
  retainsRest: boolean,
): Promise<"ended"> {
  const subject = await readSubject({ db: tx }, attempt);
  const { declineCode, details } = notProcessed(attempt);
  const isCaptureLost = attempt.kind === "capture";
  const ending = { reply: { declineCode, details }, isHoldGone: false, isCaptureLost, retainsRest, isByReplay: true };
  await endInTransaction(context, tx, attempt, subject, ending);
  return "ended";
}

async function lock(tx: Tx, attempt: Row<"attempt">): Promise<Row<"attempt">> {
  return await tx.selectFrom("attempt").selectAll().where(hasKey(attempt)).forNoKeyUpdate().executeTakeFirstOrThrow();
}
