/**
 * Sends a call again when its failure may pass by itself: no connection, no answer in time, 429, and 5xx (among them
 * `payment_outcome_unknown` and `idempotent_request_in_progress`, where the same key later gets the final answer).
 * Anything else, a decline above all, is thrown as it came. A repeated call carries the same idempotency key, so the
 * work is done once however often it is sent; that is the caller's part, in `sendOnce`.
 *
 * Pauses are exponential with full jitter (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/):
 * random between nothing and 0.5 s, 1 s, 2 s, ... 8 s. `Retry-After` comes first, and the jitter after it, so that
 * those who were told to wait together do not come back together. Two bounds hold: the number of retries, and the time
 * of the whole call. A pause that would not end within the time is not begun; the failure is thrown at once, with what
 * `Retry-After` said.
 */
import type { ClientSettings } from "./client-options.ts";
import { OrielConnectionError, OrielError } from "./oriel-error.ts";

export interface RetryPolicy extends Pick<
  ClientSettings,
  "timeoutMs" | "totalTimeoutMs" | "maxRetries" | "clock" | "random"
> {
  signal: AbortSignal | undefined;
}

const firstPauseMs = 500;
const longestPauseMs = 8_000;

/**
 * @param sendOnce sends the request; is told how often that was done before, and how long it may take
 * @throws whatever the last `sendOnce` threw, or OrielConnectionError `canceled` when the signal ends a pause
 */
export async function withRetries<T>(
  sendOnce: (retries: number, timeoutMs: number) => Promise<T>,
  { timeoutMs, totalTimeoutMs, maxRetries, clock, random, signal }: RetryPolicy,
): Promise<T> {
  const deadline = clock.now() + totalTimeoutMs;
  for (let retries = 0; ; retries += 1) {
    try {
      return await sendOnce(retries, Math.max(1, Math.ceil(Math.min(timeoutMs, deadline - clock.now()))));
    } catch (error) {
      if (retries >= maxRetries || !(error instanceof OrielError) || !mayPass(error)) throw error;
      const pauseMs = pauseBefore(retries + 1, error.retryAfterSeconds, random);
      if (clock.now() + pauseMs >= deadline) throw error;
      await clock.pause(pauseMs, signal).catch(() => {}); // It rejects for one reason, which is asked for in the next line.
      if (signal?.aborted) throw canceled(error);
    }
  }
}

function mayPass({ code, status }: OrielError): boolean {
  return code === "network" || code === "timeout" || status === 429 || (status !== null && status >= 500);
}

function pauseBefore(retry: number, retryAfterSeconds: number | null, random: () => number): number {
  const jitterMs = random() * Math.min(longestPauseMs, firstPauseMs * 2 ** (retry - 1));
  return (retryAfterSeconds ?? 0) * 1000 + jitterMs;
}

/** What was heard before stays readable as the cause. */
function canceled(last: OrielError): OrielConnectionError {
  const { status, requestId, idempotencyKey, retries, retryAfterSeconds } = last;
  return new OrielConnectionError(
    {
      code: "canceled",
      message: `The call was given up, after: ${last.message}`,
      status,
      requestId,
      idempotencyKey,
      retries,
      retryAfterSeconds,
    },
    { cause: last },
  );
}
