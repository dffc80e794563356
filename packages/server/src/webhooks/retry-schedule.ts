/**
 * When a delivery is retried, and how long an endpoint is paused. The schedule follows Standard Webhooks 1.0.
 * `Retry-After` (RFC 9110, 10.2.3) is respected within limits, so that an endpoint can't postpone a delivery forever.
 */
import type { DeliveryFailure } from "@oriel/protocol/api";

const minute = 60;
const hour = 60 * minute;

/** Seconds to wait before each attempt. After three days in total, the delivery fails. */
export const schedule = [
  0,
  5,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
] as const;

/** How long an overloaded endpoint is paused if it sends no `Retry-After`. */
const defaultPauseSeconds = 30;
const maxPauseSeconds = hour;

/**
 * Milliseconds from a failed attempt to the next one, with jitter of up to 20% in both directions. Null after the last
 * attempt.
 *
 * @param tries the number of attempts so far, including the failed one
 * @param retryAfterSeconds limited to twice the scheduled pause or one minute, whichever is longer
 * @param random 0 to 1
 */
export function pauseBeforeNextTry(tries: number, retryAfterSeconds: number | null, random: number): number | null {
  const pause = schedule[tries];
  if (pause === undefined) return null;
  const requested = Math.min(retryAfterSeconds ?? 0, Math.max(2 * pause, minute));
  return Math.round(Math.max(pause * (0.8 + random * 0.4), requested) * 1000);
}

/**
 * Milliseconds during which nothing is sent to an endpoint that is overloaded (429, 502, 504) or didn't respond in
 * time. Null: the next event can be sent right away.
 */
export function pauseOfEndpoint(
  status: number | null,
  failure: DeliveryFailure | null,
  retryAfterSeconds: number | null,
): number | null {
  const isOverloaded = failure === "timeout" || status === 429 || status === 502 || status === 504;
  return isOverloaded ? Math.min(Math.max(retryAfterSeconds ?? defaultPauseSeconds, 1), maxPauseSeconds) * 1000 : null;
}
