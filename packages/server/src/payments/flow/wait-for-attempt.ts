/** Waits a limited time for an attempt. After that, the attempt continues in the background. */
import { ApiError } from "../../platform/errors.ts";
import type { StoredResponse } from "../../platform/idempotency/stored-response.ts";
import { hasId } from "../../platform/storage/owned-by.ts";
import { idOf, type AttemptToRun } from "../attempts/subject.ts";
import type { PaymentContext } from "../context.ts";
import { readOutcome } from "./read-outcome.ts";
import { runAttempt, type Run } from "./run-attempt.ts";

/** How long a request waits for the acquirer before the response says that the outcome is unknown. */
const callerWaitMs = 10_000;
/** The same for requests that only read. */
const readerWaitMs = 2_000;

/** Runs an attempt and waits for it, for at most {@link callerWaitMs}. */
export async function waitForAttempt(context: PaymentContext, attempt: AttemptToRun): Promise<void> {
  await within(context, callerWaitMs, runAttempt(context, attempt));
}

/** Checks with the acquirer again because a request reads an object that depends on this attempt. */
export async function refreshAttempt(context: PaymentContext, attemptId: string): Promise<void> {
  await within(context, readerWaitMs, runAttempt(context, attemptId, { wanted: true }));
}

/**
 * The response to the request that created an attempt.
 *
 * @param options.wanted true for a repetition of that request, which leaves a new attempt to the first one
 * @throws ApiError 503 `payment_outcome_unknown` while the outcome is unknown
 */
export async function responseOfAttempt(
  context: PaymentContext,
  attempt: AttemptToRun,
  options: { wanted?: boolean } = {},
): Promise<StoredResponse> {
  const run = await within(context, callerWaitMs, runAttempt(context, attempt, options));
  if ((run?.state === "settled" || run?.state === "accepted") && run.response !== null) return run.response;
  const row = context.db
    .selectFrom("attempt")
    .selectAll()
    .where(hasId(idOf(attempt)));
  const response = await readOutcome(context.db, await row.executeTakeFirstOrThrow());
  if (response !== null) return response;
  throw new ApiError(
    "payment_outcome_unknown",
    "The outcome isn't known yet. We keep checking with the acquirer. Send the same request again later with the same Idempotency-Key. The operation won't run twice.",
    { retryAfterSeconds: 2 },
  );
}

/** Returns null if it takes longer. The attempt then continues in the background. */
async function within(context: PaymentContext, ms: number, run: Promise<Run>): Promise<Run | null> {
  const { promise: tooLong, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(resolve, ms, null);
  try {
    const first = await Promise.race([run, tooLong]);
    if (first === null) context.inBackground("attempt", run);
    return first;
  } finally {
    clearTimeout(timer);
  }
}
