/** Waiting for the bank, but not forever: what isn't known in time goes on in the background. */
import { readOutcome } from "./read-outcome.ts";
import type { PaymentContext } from "../context.ts";
import { ApiError } from "../../platform/errors.ts";
import type { StoredAnswer } from "../../platform/idempotency/stored-answer.ts";
import { runAttempt, type Run } from "./run-attempt.ts";

/** How long a caller is kept waiting for the bank before the answer is "not known yet". */
const callerWaitMs = 10_000;
/** The same for somebody who only reads. */
const readerWaitMs = 2_000;

/** Runs an attempt and waits for it. */
export async function waitForAttempt(context: PaymentContext, attemptId: string): Promise<void> {
  await within(context, callerWaitMs, runAttempt(context, attemptId));
}

/** Has the bank asked because somebody reads what depends on it. */
export async function refreshAttempt(context: PaymentContext, attemptId: string): Promise<void> {
  await within(context, readerWaitMs, runAttempt(context, attemptId, { wanted: true }));
}

/**
 * The answer to the request that an attempt was written for.
 *
 * @throws ApiError 503 `payment_outcome_unknown` while the bank has not said
 */
export async function answerOfAttempt(context: PaymentContext, attemptId: string): Promise<StoredAnswer> {
  const run = await within(context, callerWaitMs, runAttempt(context, attemptId, { wanted: true }));
  if (run?.state === "settled" && run.answer !== null) return run.answer;
  const attempt = context.db.selectFrom("attempt").selectAll().where("id", "=", attemptId);
  const answer = await readOutcome(context.db, await attempt.executeTakeFirstOrThrow());
  if (answer !== null) return answer;
  throw new ApiError(
    "payment_outcome_unknown",
    "The bank has not said yet what became of this. Do not try it anew: send this same request with the same Idempotency-Key later.",
    { retryAfterSeconds: 2 },
  );
}

/** Null when it takes longer; it then goes on by itself. */
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
