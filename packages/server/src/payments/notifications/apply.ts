/**
 * Applies a notification to the payment that it's about. The order of notifications doesn't matter, and applying one again
 * changes nothing. Only signed fields decide: the event, its IDs and its amount.
 */
import { isDisputeStep, type DisputeStep, type NotifiedOccurrence, type NotifiedOutcome } from "@oriel/vault";
import type { PaymentContext } from "../context.ts";
import { applyOccurrence } from "./apply-occurrence.ts";
import { applyOutcome } from "./apply-outcome.ts";
import { attemptOf, type FoundAttempt } from "./find-attempts.ts";
import type { NotificationKey, Tried } from "./queue.ts";
import type { Contents, Result } from "./stored.ts";

/** The result, and the attempt with the notification's reference, if there's one. */
export interface Applied {
  result: Result;
  attempt: FoundAttempt | null;
}

export async function apply(
  context: PaymentContext,
  key: NotificationKey,
  contents: Contents,
  tried: Tried,
): Promise<Applied> {
  const { event } = contents;
  const attempt = await attemptOf(context.db, key, event);
  if (event.type === "unknown" || attempt === undefined) return { result: "unexpected", attempt: attempt ?? null };
  const { type } = event;
  const result = isOccurrence(type)
    ? await applyOccurrence(context, key, attempt, { ...contents, event: { ...event, type } })
    : await applyOutcome(context, key, attempt, { ...contents, event: { ...event, type }, tried });
  return { result, attempt };
}

const others: ReadonlySet<string> = new Set([
  "authorization_expired",
  "capture_failed",
  "refund_failed",
  "refund_reversed",
  "fraud_reported",
] satisfies NotifiedOccurrence[]);

function isOccurrence(
  type: NotifiedOutcome | NotifiedOccurrence | DisputeStep,
): type is NotifiedOccurrence | DisputeStep {
  return isDisputeStep(type) || others.has(type);
}
