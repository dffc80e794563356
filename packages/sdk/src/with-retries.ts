/**
 * Retries calls after temporary failures: no connection, a timeout, 408, 429 and 5xx. These include
 * `payment_outcome_unknown` and `idempotent_request_in_progress`, where a later request with the same key gets the
 * final result. All other errors, such as declines, are thrown immediately. `sendOnce` must send the same idempotency
 * key each time, so that the request runs only once.
 *
 * Pauses use exponential backoff with full jitter
 * (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/): a random time up to 0.5 s, 1 s, 2 s, ...
 * 8 s. The jitter is added after `Retry-After`, so that clients that got the same time don't retry together.
 * The number of retries and the total time are limited. If a pause would exceed the total time, the failure is thrown
 * immediately with its `Retry-After`.
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
 * @param sendOnce sends the request; receives the number of retries so far and the timeout
 * @throws the error of the last `sendOnce`, or OrielConnectionError `canceled` if the signal aborts during a pause
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
      if (retries >= maxRetries || !(error instanceof OrielError) || !isTemporary(error)) throw error;
      const pauseMs = pauseBefore(retries + 1, error.retryAfterSeconds, random);
      if (clock.now() + pauseMs >= deadline) throw error;
      await clock.pause(pauseMs, signal).catch(() => {}); // rejects only if the signal aborts, checked below
      if (signal?.aborted) throw canceled(error);
    }
  }
}

function isTemporary({ code, status }: OrielError): boolean {
  if (code === "network" || code === "timeout") return true;
  return status === 408 || status === 429 || (status !== null && status >= 500);
}

function pauseBefore(retry: number, retryAfterSeconds: number | null, random: () => number): number {
  const jitterMs = random() * Math.min(longestPauseMs, firstPauseMs * 2 ** (retry - 1));
  return (retryAfterSeconds ?? 0) * 1000 + jitterMs;
}

/** The last failure becomes the cause. */
function canceled(last: OrielError): OrielConnectionError {
  const { status, requestId, idempotencyKey, retries, retryAfterSeconds } = last;
  return new OrielConnectionError(
    {
      code: "canceled",
      message: `The call was canceled after a failure: ${last.message}`,
      status,
      requestId,
      idempotencyKey,
      retries,
      retryAfterSeconds,
    },
    { cause: last },
  );
}
