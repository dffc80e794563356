/**
 * Until when an authorization may be sent, and from when on it is certain that the acquirer will never hear of it:
 *
 * ```
 *  written down                      15 minutes later, or withdrawn by the merchant     5 minutes later
 *       |---- may be sent, again ----------------|---- may be on its way ------------------|---- never arrived: it has failed ---
 * ```
 * Without this an authorization that was lost in an outage would be sent when that is over, hours later, although the customer has paid in another session. It
 * ends only when the acquirer says that it doesn't know it; while the acquirer is silent its outcome stays unknown.
 *
 * Captures, cancellations and refunds have no such end: what the merchant asked for once is done, however late.
 */
import type { Row } from "../storage/tables.ts";
import { inFlightSeconds, sendSeconds } from "./deadlines.ts";

type Attempt = Pick<Row<"attempt">, "kind" | "created_at" | "withdrawn_at">;

/** Nobody sends it after this. Null: there is no such time. */
export function lastSend({ kind, created_at, withdrawn_at }: Attempt): Date | null {
  if (kind !== "authorize" && kind !== "verify") return null;
  const end = created_at.getTime() + sendSeconds * 1000;
  return new Date(withdrawn_at === null ? end : Math.min(end, withdrawn_at.getTime()));
}

/** If the acquirer doesn't know it after this, it never will. Null: there is no such time. */
export function lastArrival(attempt: Attempt): Date | null {
  const sent = lastSend(attempt);
  return sent && new Date(sent.getTime() + inFlightSeconds * 1000);
}
