/** Ends a payment as failed because a person has found that the customer didn't pay. */
import { notProcessed } from "../attempts/final-reply.ts";
import { readSubject } from "../attempts/subject.ts";
import type { PaymentContext } from "../context.ts";
import type { Tx } from "../../platform/storage/database.ts";
import { hasId } from "../../platform/storage/owned-by.ts";
import { endInTransaction } from "./end-attempt.ts";
import { isBeingReversed } from "./reversals.ts";

/**
 * Ends an authorization whose outcome is unknown and whose reversal has begun. An approval that's reported later is
 * canceled or refunded.
 *
 * @returns false if the attempt isn't such an authorization, or has its outcome by now. Then nothing has changed.
 */
export async function markFailed(context: PaymentContext, tx: Tx, attemptId: string): Promise<boolean> {
  const attempts = tx.selectFrom("attempt").selectAll().where(hasId(attemptId));
  const attempt = await attempts.forNoKeyUpdate().executeTakeFirst();
  if (attempt?.kind !== "authorize" || attempt.status !== "processing") return false;
  if (!(await isBeingReversed(tx, attempt))) return false;
  const subject = await readSubject({ db: tx }, attempt);
  const { declineCode, details } = notProcessed(attempt);
  const ending = { reply: { declineCode, details }, isHoldGone: false, isByReplay: true };
  return (await endInTransaction(context, tx, attempt, subject, ending)) !== null;
}
