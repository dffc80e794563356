/** Ends an attempt as failed because a person has found that the acquirer doesn't have it, or that it failed there. */
import type { Tx } from "../../platform/storage/database.ts";
import { hasId } from "../../platform/storage/owned-by.ts";
import { notProcessed } from "../attempts/final-reply.ts";
import { readSubject } from "../attempts/subject.ts";
import type { PaymentContext } from "../context.ts";
import { isBeingReversed, lockReversed } from "../reversals/reversals.ts";
import { endInTransaction } from "./end-attempt.ts";

/**
 * Ends an attempt whose outcome is unknown. The reversal of an authorization must have begun: an approval that's reported
 * later is canceled or refunded. Any other attempt can't be ended while it's being sent, because the acquirer could still
 * accept it.
 *
 * @param options.retainsRest whether the acquirer keeps reserved what an earlier capture left, which may be done by now
 * @returns false if that isn't so, or if the attempt has its outcome by now. Then nothing has changed.
 */
export async function markFailed(
  context: PaymentContext,
  tx: Tx,
  attemptId: string,
  { retainsRest = false }: { retainsRest?: boolean } = {},
): Promise<boolean> {
  const attempts = tx.selectFrom("attempt").selectAll().where(hasId(attemptId));
  const known = await attempts.executeTakeFirst();
  if (known?.kind === "reverse") await lockReversed(tx, known);
  const attempt = await attempts.forNoKeyUpdate().executeTakeFirst();
  if (attempt?.status !== "processing") return false;
  const { kind, claimed_until } = attempt;
  const mayEnd =
    kind === "authorize"
      ? await isBeingReversed(tx, attempt)
      : claimed_until === null || claimed_until <= context.now();
  if (!mayEnd) return false;
  const subject = await readSubject({ db: tx }, attempt);
  const { declineCode, details } = notProcessed(attempt);
  const ending = { reply: { declineCode, details }, isHoldGone: false, retainsRest, isByReplay: true };
  return (await endInTransaction(context, tx, attempt, subject, ending)) !== null;
}
