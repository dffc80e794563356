/**
 * When a delivery is tried again, and how long an endpoint is left alone. The schedule is that of Standard Webhooks
 * 1.0; what an endpoint asks for with `Retry-After` (RFC 9110, 10.2.3) is heeded within bounds, so that nobody can put
 * off a delivery for ever.
 */
import type { DeliveryFailure } from "@oriel/protocol/api";

const minute = 60;
const hour = 60 * minute;

/** Seconds to wait before each try: three days in all, then it is given up. */
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

/** How long an endpoint that is out of breath is left alone when it does not say. */
const holdSeconds = 30;
const maxHoldSeconds = hour;

/**
 * Milliseconds from a failed try to the next one, spread by a fifth in both directions; null when that was the last
 * one.
 *
 * @param tries how many there were, that one included
 * @param retryAfterSeconds heeded up to twice the pause of the schedule, and at least up to a minute
 * @param random 0 to 1
 */
export function pauseBeforeNextTry(tries: number, retryAfterSeconds: number | null, random: number): number | null {
  const pause = schedule[tries];
  if (pause === undefined) return null;
  const asked = Math.min(retryAfterSeconds ?? 0, Math.max(2 * pause, minute));
  return Math.round(Math.max(pause * (0.8 + random * 0.4), asked) * 1000);
}

/**
 * Milliseconds for which nothing at all is sent to the endpoint: it said that it is overloaded (429, 502, 504), or it
 * did not answer in time. Null: it can be tried with the next event.
 */
export function pauseOfEndpoint(
  status: number | null,
  failure: DeliveryFailure | null,
  retryAfterSeconds: number | null,
): number | null {
  const isOutOfBreath = failure === "timeout" || status === 429 || status === 502 || status === 504;
  return isOutOfBreath ? Math.min(Math.max(retryAfterSeconds ?? holdSeconds, 1), maxHoldSeconds) * 1000 : null;
}
