/**
 * Decides how long an attempt may be sent again while its outcome is unknown, and what follows. That depends on how the
 * acquirer finds an unknown outcome (`CardAcquirer.resolves`). All functions are pure.
 *
 * By `reference`, the acquirer has a lookup. An authorization that it doesn't know is sent again, for a limited time.
 * Otherwise, one that was lost in an outage would be sent hours later, when the customer may have paid in another
 * session. Captures, cancellations and refunds are sent again however late, because the merchant requested each of them.
 *
 * ```
 *  created                     15 minutes later, or withdrawn by the merchant       5 minutes later
 *     |------- sent again -----------------|------- may still arrive ------------------|------- has failed -------
 * ```
 * By `replay`, the acquirer recognizes a repeated request for a limited time, `safeForMs`. It counts from the first
 * request, which can be sent long after the attempt was created. After that, nothing is sent a second time. An
 * authorization is repeated for nine minutes only, because its CVC is erased soon after. Then it's reversed, and fails
 * once the acquirer has confirmed that. A verification fails, because it moves no money.
 *
 * ```
 *  first sent     9 minutes later, or withdrawn, or its CVC was erased                        24 hours later
 *     |------- sent again -----------------|------- is reversed --------------------------|------- a person is notified
 * ```
 * Captures, cancellations, refunds and reversals need no CVC, so they're repeated until a minute before `safeForMs`. After
 * that, only a notification has the outcome. A person is notified after 24 hours, and can end them (`flow/mark-failed.ts`).
 *
 * In both cases, an attempt that was never sent can't have an outcome. An authorization then fails when its time is
 * over. Everything else is sent when a process gets to it. What the acquirer has accepted isn't sent again.
 *
 * If the acquirer can't be used now, for example because its credentials can't be decrypted, a person is notified after five
 * minutes, and it's tried again until it can.
 */
import type { AttentionKind } from "@oriel/protocol/api";
import type { CardAcquirer } from "@oriel/vault";
import type { Row } from "../../platform/storage/tables.ts";
import {
  inFlightSeconds,
  noticeHours,
  overdueDays,
  pausesSeconds,
  repeatSeconds,
  replayMarginSeconds,
  sendSeconds,
  unusableSeconds,
} from "./deadlines.ts";

/** By `nothing`, the acquirer can't be used now. */
export type Resolves = CardAcquirer["resolves"] | { by: "nothing" };

type Attempt = Pick<
  Row<"attempt">,
  "kind" | "reversal" | "created_at" | "first_called_at" | "withdrawn_at" | "accepted_at" | "calls"
>;

/**
 * - `send`: send it, for the first time or exactly as before.
 * - `wait`: an earlier message may still arrive, or a notification has the outcome.
 * - `fail`: it has failed, because no money can move.
 * - `reverse`: an authorization that is never sent again, although its outcome is unknown.
 */
export type Step = "send" | "wait" | "fail" | "reverse";

/**
 * Returns the next step for an attempt whose outcome is unknown. By `reference`, the acquirer has looked it up and doesn't know
 * it.
 */
export function nextStep(attempt: Attempt, resolves: Resolves, now: Date): Step {
  const { kind, accepted_at } = attempt;
  const end = lastSend(attempt, resolves);
  if (end === null || now < end) return accepted_at === null ? "send" : "wait";
  const wasSent = attempt.calls > 1;
  if (!isLimited(kind)) return wasSent ? "wait" : "send";
  if (!wasSent) return "fail";
  if (resolves.by === "reference") return now < addSeconds(end, inFlightSeconds) ? "wait" : "fail";
  return kind === "authorize" ? "reverse" : "fail";
}

/** When a person is notified if there's still no outcome. Null if never. */
export function concernOf(attempt: Attempt, resolves: Resolves): { kind: AttentionKind; at: Date } | null {
  const { kind, reversal, accepted_at } = attempt;
  const acceptedAt = kind === "authorize" ? null : accepted_at;
  if (resolves.by === "nothing" && acceptedAt === null)
    return { kind: "acquirer_unusable", at: addSeconds(firstCalled(attempt), unusableSeconds) };
  // The concern about the authorization covers its reversal.
  if (kind === "verify" || reversal === "reference") return null;
  if (acceptedAt !== null) return { kind: "operation_overdue", at: addSeconds(acceptedAt, overdueDays * 24 * 3600) };
  if (resolves.by !== "replay") return null;
  return { kind: "outcome_unknown", at: addSeconds(firstCalled(attempt), noticeHours * 3600) };
}

/** Returns when an attempt without an outcome is due again. */
export function nextCallAt(attempt: Attempt, resolves: Resolves, now: Date): Date {
  const changes = [changeOf(attempt, resolves), concernOf(attempt, resolves)?.at ?? null];
  const next = changes.filter((at) => at !== null && at > now).map(Number);
  const isPolled = resolves.by !== "replay" || nextStep(attempt, resolves, now) === "send";
  const elapsedSeconds = (now.getTime() - firstCalled(attempt).getTime()) / 1000;
  const pause = isPolled ? pausesSeconds.findLast((seconds) => seconds <= elapsedSeconds) : pausesSeconds.at(-1);
  return new Date(Math.min(...next, addSeconds(now, pause ?? pausesSeconds[0]).getTime()));
}

/** When the next step changes by itself. */
function changeOf(attempt: Attempt, resolves: Resolves): Date | null {
  if (attempt.accepted_at !== null && !isLimited(attempt.kind)) return null;
  const end = lastSend(attempt, resolves);
  return end !== null && resolves.by === "reference" ? addSeconds(end, inFlightSeconds) : end;
}

/** Until when it may be sent again. Null if always. */
function lastSend(attempt: Attempt, resolves: Resolves): Date | null {
  const { kind, created_at, withdrawn_at } = attempt;
  const ends = [
    ...(isLimited(kind) ? [addSeconds(created_at, sendSeconds)] : []),
    ...(resolves.by === "replay" ? [addSeconds(firstCalled(attempt), repeatableSeconds(kind, resolves))] : []),
    ...(withdrawn_at === null ? [] : [withdrawn_at]),
  ];
  return ends.length === 0 ? null : new Date(Math.min(...ends.map(Number)));
}

/** For how long it may be repeated after the first request. */
function repeatableSeconds(kind: Attempt["kind"], { safeForMs }: Extract<Resolves, { by: "replay" }>): number {
  const safeSeconds = safeForMs / 1000 - replayMarginSeconds;
  return isLimited(kind) ? Math.min(repeatSeconds, safeSeconds) : safeSeconds;
}

/** The acquirer can't have received it before. */
function firstCalled({ created_at, first_called_at }: Attempt): Date {
  return first_called_at ?? created_at;
}

/** The customer may pay in another way. */
function isLimited(kind: Attempt["kind"]): boolean {
  return kind === "authorize" || kind === "verify";
}

function addSeconds(date: Date, seconds: number): Date {
  return new Date(date.getTime() + seconds * 1000);
}
