/**
 * Settles an attempt with an outcome that the acquirer reported in a reply, a lookup or a notification: keeps the card,
 * ends the attempt (`end-attempt.ts`), counts it, and erases the card or its CVC. Nothing is erased before the commit:
 * if that fails, the acquirer may have to be called again, with exactly the same request.
 */
import type { Row } from "../../platform/storage/tables.ts";
import { modeOf } from "../../platform/tenant.ts";
import type { FinalOutcome } from "../attempts/final-reply.ts";
import { cardOf, savesCard, usesCard, type Subject } from "../attempts/subject.ts";
import type { PaymentContext } from "../context.ts";
import { eraseCard, eraseCvc } from "../payment-methods/erase-card.ts";
import { endAttempt, type Ended, type Ending } from "./end-attempt.ts";
import { retainsRest } from "./release-rest.ts";

/**
 * @param options.reportedAt when the acquirer reported it
 * @returns null if another process settled the attempt first
 */
export async function settleAttempt(
  context: PaymentContext,
  attempt: Row<"attempt">,
  subject: Subject,
  outcome: FinalOutcome,
  { reportedAt, ...options }: Omit<Ending, "reply"> & { reportedAt: Date },
): Promise<Ended | null> {
  // If the hold is gone, a cancellation has achieved its goal.
  const isDone = outcome.outcome === "approved" || (options.isHoldGone && attempt.kind === "cancel");
  const details = isDone ? { ...outcome.details, refusal: null } : outcome.details;
  const reply = { declineCode: isDone ? null : outcome.declineCode, details };
  // Tell the vault to keep the card before the commit that marks it as saved. If the commit fails, the card is erased
  // later, but an erased card could never be restored.
  const isSaved = usesCard(attempt) && savesCard(subject) && isDone;
  if (isSaved && !(await context.vault.retain(cardOf(attempt, subject))))
    await eraseCard(context, subject.payment_method_id);

  const rest = { retainsRest: await retainsRest(context, attempt, subject) };
  const ended = await endAttempt(context, attempt, subject, { ...options, ...rest, reply });
  if (ended === null) return null;
  const { declineCode, isPaymentEnded, authorization } = ended;
  const { id, kind, charge_id: charge, calls } = attempt;
  const result = declineCode === null ? "approved" : "declined";
  context.log.info({ attempt: id, kind, charge, calls, decline_code: declineCode }, `Attempt ${result}`);
  if (authorization !== null) {
    const durationMs = reportedAt.getTime() - authorization.created_at.getTime();
    const outcome = kind === "reverse" ? "declined" : result;
    context.telemetry.chargeEnded({ mode: modeOf(attempt), outcome, durationMs });
  }
  // A card that a customer saved earlier stays, and has no CVC.
  if (subject.session_id === null) return ended;
  const needsCard = !isPaymentEnded || (isSaved && declineCode === null);
  if (!needsCard) await eraseCard(context, subject.payment_method_id);
  else if (usesCard(attempt)) await eraseCvc(context, subject.payment_method_id);
  return ended;
}
