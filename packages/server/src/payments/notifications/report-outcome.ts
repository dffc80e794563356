/**
 * Applies the outcome of an attempt that a notification reported. The same outcome can be reported any number of times,
 * in any order, and while a process is waiting for the acquirer's reply to the attempt: whichever of the two ends the
 * attempt first decides, and the other changes nothing.
 *
 * An outcome can also contradict how the attempt has ended. An approval of an authorization is then undone
 * (`reversals/reversals.ts`). A capture or refund that succeeded after all is entered in the ledger and applied
 * (`late-successes.ts`), and a cancellation ends its charge.
 */
import type { Tx } from "../../platform/storage/database.ts";
import { hasKey } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";
import type { FinalOutcome } from "../attempts/final-reply.ts";
import { readSubject } from "../attempts/subject.ts";
import { resolveItself } from "../attention/resolve-attention.ts";
import type { PaymentContext } from "../context.ts";
import { retainsRest } from "../flow/release-rest.ts";
import { runAttempt } from "../flow/run-attempt.ts";
import { settleAttempt } from "../flow/settle-attempt.ts";
import { enterInLedger } from "../ledger/enter.ts";
import { isSecondApproval, lockReversed, releasedLate, undoLateApproval } from "../reversals/reversals.ts";
import { holdReleased } from "./late-changes.ts";
import { applySuccess, movementOf } from "./late-successes.ts";

/**
 * - `settled`: the attempt has ended with this outcome now.
 * - `known`: it had ended with it before, or its failure is known. Nothing has changed, except that the ledger has the
 *   movement.
 * - `undone`: an authorization was approved too late, so it's being canceled or refunded, or that was done before.
 * - `recovered`: a capture, refund or cancellation has succeeded after it had failed. Of the first two, a person was notified.
 * - `contradicts`: the attempt had ended differently, and nothing has changed. A person should look.
 */
export type Reported = "settled" | "known" | "undone" | "recovered" | "contradicts";

/**
 * Doesn't run in a transaction. If the process dies in between, report the outcome again.
 *
 * @param attempt of any kind and status
 * @param outcome with the acquirer's ID of the operation in its details
 * @param releasedId of a reversal by our reference (TECHNICAL_CANCEL): the acquirer's ID of the authorization, if known
 */
export async function reportOutcome(
  context: PaymentContext,
  attempt: Row<"attempt">,
  outcome: FinalOutcome,
  releasedId: string | null = null,
): Promise<Reported> {
  const subject = await readSubject(context, attempt);
  if (attempt.status === "processing") {
    const acquirerId = outcome.details.acquirerId ?? attempt.acquirer_id;
    const known = { ...outcome, details: { ...outcome.details, acquirerId } };
    const options = { isHoldGone: false, isByReplay: true, reportedAt: context.now(), releasedId };
    const ended = await settleAttempt(context, attempt, subject, known, options);
    if (ended?.reversal != null) context.inBackground("attempt", runAttempt(context, ended.reversal));
    if (ended !== null) {
      const isUndone = attempt.kind === "authorize" && outcome.outcome === "approved" && ended.declineCode !== null;
      return isUndone ? "undone" : "settled";
    }
  }
  const rest = await retainsRest(context, attempt, subject);
  const { reported, reversal } = await context.db
    .transaction()
    .execute((tx) => reportAgain(context, tx, attempt, outcome, { releasedId, retainsRest: rest }));
  if (reversal !== null) context.inBackground("attempt", runAttempt(context, reversal));
  return reported;
}

/** An outcome of an attempt that has ended. */
async function reportAgain(
  context: PaymentContext,
  tx: Tx,
  known: Row<"attempt">,
  outcome: FinalOutcome,
  { releasedId, retainsRest: rest }: { releasedId: string | null; retainsRest: boolean },
): Promise<{ reported: Reported; reversal: string | null }> {
  const reversed = known.reversal === "reference" ? await lockReversed(tx, known) : null;
  const attempts = tx.selectFrom("attempt").selectAll().where(hasKey(known));
  const attempt = await attempts.forNoKeyUpdate().executeTakeFirstOrThrow();
  const isSame = attempt.status === outcome.outcome;
  if (isSame || attempt.kind === "verify") return { reported: "known", reversal: null };
  if (outcome.outcome !== "approved") return { reported: "contradicts", reversal: null };
  const { kind, charge_id } = attempt;
  const { acquirerId } = outcome.details;
  if (kind === "authorize") {
    if (await isSecondApproval(tx, attempt, acquirerId)) return { reported: "contradicts", reversal: null };
    const reversal = await undoLateApproval(context, tx, attempt, acquirerId);
    return { reported: "undone", reversal };
  }
  if (attempt.reversal === "cancel") {
    // The approval was released before, or is now.
    await resolveItself(tx, tenantOf(attempt), ["reversal_failed"], attempt.id, context.now());
    return { reported: "known", reversal: null };
  }
  if (kind === "cancel" && charge_id !== null) {
    await resolveItself(tx, tenantOf(attempt), ["rest_not_released"], attempt.id, context.now());
    const ended = await holdReleased(context, tx, charge_id);
    const reported = { canceled: "recovered", known: "known", busy: "contradicts" } as const;
    return { reported: reported[ended], reversal: null };
  }
  if (reversed !== null) {
    const isExpected = await releasedLate(context, tx, attempt, reversed, releasedId);
    return { reported: isExpected ? "known" : "contradicts", reversal: null };
  }
  const reference = acquirerId ?? attempt.acquirer_id ?? attempt.id;
  const movement = await movementOf(tx, attempt, reference, false);
  const isNew = await enterInLedger(tx, tenantOf(attempt), movement, context.now());
  const isRecovered = isNew && (await applySuccess(context, tx, attempt, reference, rest));
  return { reported: isRecovered ? "recovered" : "known", reversal: null };
}
