/**
 * Decides how long an authorization may be sent, and when one that the acquirer doesn't know has failed:
 *
 * ```
 *  created                     15 minutes later, or withdrawn by the merchant       5 minutes later
 *     |------- sent again -----------------|------- may still arrive ------------------|------- has failed -------
 * ```
 * Without this limit, an authorization lost in an outage would be sent hours later, when the customer may have paid in
 * another session. Until the acquirer responds, the outcome stays unknown.
 *
 * Captures, cancellations and refunds have no limit, because the merchant explicitly requested each of them.
 */
import type { Row } from "../../platform/storage/tables.ts";
import { inFlightSeconds, sendSeconds } from "./deadlines.ts";

type Attempt = Pick<Row<"attempt">, "kind" | "created_at" | "withdrawn_at" | "times_asked">;

/**
 * Returns the next step for an attempt that the acquirer doesn't know. `wait` means that an earlier message may still
 * arrive.
 */
export function nextStep(attempt: Attempt, now: Date): "send" | "wait" | "fail" {
  const sent = lastSend(attempt);
  if (sent === null || now < sent) return "send";
  return attempt.times_asked > 1 && now < addSeconds(sent, inFlightSeconds) ? "wait" : "fail";
}

/** Returns the time after which no sent message can still arrive, or null for attempts without a limit. */
export function lastArrival(attempt: Attempt): Date | null {
  const sent = lastSend(attempt);
  return sent && addSeconds(sent, inFlightSeconds);
}

/** Null for attempts without a limit. */
function lastSend({ kind, created_at, withdrawn_at }: Attempt): Date | null {
  if (kind !== "authorize" && kind !== "verify") return null;
  const end = addSeconds(created_at, sendSeconds);
  return withdrawn_at !== null && withdrawn_at < end ? withdrawn_at : end;
}

function addSeconds(date: Date, seconds: number): Date {
  return new Date(date.getTime() + seconds * 1000);
}
