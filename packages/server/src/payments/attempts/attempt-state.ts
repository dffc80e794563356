/**
 * An attempt is one operation at the acquirer: authorize, verify, capture, cancel, refund, or the reversal of an
 * authorization (`reversals/reversals.ts`). Its ID is the acquirer's idempotency key. Every transition is one conditional
 * update. A charge is authorized by one attempt, or by a second one after a step-up (`flow/threeds/step-up.ts`).
 *
 * ```
 *  (inserted with the object it is for, in one transaction; startCharge and startRefund insert it claimed)
 *        |
 *        v         claimAttempt
 *   processing  ------------------>  processing, claimed by one process, which renews its claim every second
 *     ^    ^                              |           |             |
 *     |    +---- scheduleNextCall --------+           |             +-- finish --> approved | declined
 *     |    |     (no response: called again later)    |             |              (final)
 *     |    +---- accept ------------------------------+-------------+                 ^
 *     |    |     (accepted: a notification has the outcome) ------------ finish ------+
 *     +---- takeDueAttempts --------------------------+
 *           (a worker: the call is due, or the process died and its claim has run out)
 * ```
 * The row is its own entry in the queue. It says when the next call to the acquirer is due (`next_call_at`) and when the
 * current claim ends (`claimed_until`). So there is only one call at a time, no matter how many workers and readers there
 * are. A notification needs no claim: whichever of the two finishes the attempt first decides. Only the acquirer's
 * response or notification ends an attempt, or the end of the time in which it can be sent (`send-limits.ts`).
 *
 * `deadlines.ts` explains how long an outcome can stay unknown: at most a minute after the last process died or the
 * acquirer last failed to respond.
 */
import { sql, type ExpressionBuilder } from "kysely";
import { noDetails, type AcquirerDetails } from "@oriel/vault";
import type { Cause } from "../../platform/cause.ts";
import type { PlatformContext } from "../../platform/context.ts";
import type { Tx } from "../../platform/storage/database.ts";
import { hasId, hasKey } from "../../platform/storage/owned-by.ts";
import { takeDue } from "../../platform/storage/per-owner.ts";
import type { AttemptKind, Row, Tables } from "../../platform/storage/tables.ts";
import { ownerColumns, type Tenant } from "../../platform/tenant.ts";
import { claimSeconds, firstCallSeconds, readerPauseSeconds } from "./deadlines.ts";
import { detailColumns, replyColumns, type FinalReply } from "./final-reply.ts";
import { nextCallAt, type Resolves } from "./send-limits.ts";

/** The largest expected difference between the clocks of two processes and the database. */
const clockSlackMs = 5_000;

export interface NewAttempt {
  id: string;
  kind: AttemptKind;
  decision_id: string;
  amount: number;
  is_step_up?: boolean;
  without_cvc?: boolean;
  charge_id?: string | null;
  refund_id?: string;
  /** Of a `reverse` attempt. */
  reversal?: Row<"attempt">["reversal"];
}

/** An attempt that is about to be written, already claimed by this process, which makes the first call after the commit. */
export function newAttempt(
  tenant: Tenant,
  attempt: NewAttempt,
  { requestId, idempotencyKey }: Cause,
  now: Date,
): Row<"attempt"> {
  return {
    is_step_up: false,
    without_cvc: false,
    charge_id: null,
    refund_id: null,
    reversal: null,
    sent_as_refund: null,
    ...attempt,
    ...ownerColumns(tenant),
    status: "processing",
    calls: 1,
    first_called_at: null,
    next_call_at: now,
    claimed_until: secondsFrom(now, claimSeconds),
    request_id: requestId,
    idempotency_key: idempotencyKey,
    decline_code: null,
    withdrawn_at: null,
    accepted_at: null,
    created_at: now,
    finished_at: null,
    ...detailColumns(noDetails),
  };
}

/**
 * Inserts an attempt that this process claims after the commit. No worker or reader takes it before
 * {@link firstCallSeconds} are over.
 *
 * @param dueAt when it may be run first, if not now
 */
export async function insertAttempt(
  { now }: Pick<PlatformContext, "now">,
  tx: Tx,
  tenant: Tenant,
  attempt: NewAttempt,
  cause: Cause,
  dueAt?: Date,
): Promise<void> {
  const createdAt = now();
  const unclaimed = {
    calls: 0,
    next_call_at: dueAt ?? createdAt,
    claimed_until: secondsFrom(createdAt, firstCallSeconds),
  };
  await tx
    .insertInto("attempt")
    .values({ ...newAttempt(tenant, attempt, cause, createdAt), ...unclaimed })
    .execute();
}

/** The result of a claim: the claimed attempt, or the reason why it can't be claimed. */
export type ClaimResult =
  | { claimed: true; attempt: Row<"attempt"> }
  | { claimed: false; because: "final" | "not_due" | "in_progress" };

/**
 * Claims an attempt for a few seconds. The caller renews the claim during the call to the acquirer (`claims.ts`).
 *
 * @param wanted true if a reader needs the outcome now, so that the attempt is claimed even if it isn't due yet. An
 *   accepted attempt isn't, because only a notification has its outcome. Neither is one that its own request is about to
 *   run: that request waits longer than a reader.
 */
export async function claimAttempt(
  { db, now }: Pick<PlatformContext, "db" | "now">,
  id: string,
  wanted: boolean,
): Promise<ClaimResult> {
  const time = now();
  let open = db.updateTable("attempt").set(claimed(time)).where(hasId(id)).where("status", "=", "processing");
  open = wanted
    ? open.where((eb) => isUnclaimed(eb, time)).where("accepted_at", "is", null)
    : open
        .where(({ eb, or }) => or([isUnclaimed(eb, time), eb("calls", "=", 0)]))
        .where("next_call_at", "<=", new Date(time.getTime() + clockSlackMs));
  const attempt = await open.returningAll().executeTakeFirst();
  if (attempt !== undefined) return { claimed: true, attempt };

  const row = await db
    .selectFrom("attempt")
    .select(["status", "claimed_until", "calls"])
    .where(hasId(id))
    .executeTakeFirstOrThrow();
  if (row.status !== "processing") return { claimed: false, because: "final" };
  if (row.claimed_until === null || row.claimed_until <= time) return { claimed: false, because: "not_due" };
  return { claimed: false, because: "in_progress" };
}

/**
 * Whether a process is making a call that was due, so that the acquirer's reply may arrive soon, or has arrived. A call
 * for a reader doesn't count: readers may come every second.
 */
export function isBeingCalled(
  { status, next_call_at, claimed_until }: Pick<Row<"attempt">, "status" | "next_call_at" | "claimed_until">,
  now: Date,
): boolean {
  return status === "processing" && next_call_at <= now && claimed_until !== null && claimed_until > now;
}

/**
 * Schedules the next call after the acquirer didn't respond. Leaves the schedule as it is if the call wasn't due yet, if it
 * took so long that another process has claimed the attempt, or if the attempt was withdrawn during the call.
 *
 * @returns the seconds until the next call
 */
export async function scheduleNextCall(
  { db, now }: Pick<PlatformContext, "db" | "now">,
  attempt: Row<"attempt">,
  resolves: Resolves,
): Promise<number> {
  const time = now();
  const isPlanned = attempt.next_call_at > time;
  const next_call_at = isPlanned ? attempt.next_call_at : nextCallAt(attempt, resolves, time);
  await db
    .updateTable("attempt")
    .set({ next_call_at: unlessWithdrawn(attempt, next_call_at), claimed_until: secondsFrom(time, readerPauseSeconds) })
    .where(hasKey(attempt))
    .where("status", "=", "processing")
    .where("calls", "=", attempt.calls)
    .execute();
  return Math.ceil((next_call_at.getTime() - time.getTime()) / 1000);
}

/**
 * Records that the first request has no CVC, before it's sent. Then it can be sent again.
 *
 * @returns false if another process has claimed the attempt, or if it has its outcome
 */
export async function recordWithoutCvc({ db }: Pick<PlatformContext, "db">, attempt: Row<"attempt">): Promise<boolean> {
  const noted = await db
    .updateTable("attempt")
    .set({ without_cvc: true })
    .where(hasKey(attempt))
    .where("status", "=", "processing")
    .where("calls", "=", attempt.calls)
    .executeTakeFirst();
  return noted.numUpdatedRows === 1n;
}

/**
 * Records whether the refund of a late approval is sent as a refund, before its first request.
 *
 * @returns how it was sent before, because a repetition must be the same
 */
export async function recordSentAsRefund(tx: Tx, attempt: Row<"attempt">, isRefund: boolean): Promise<boolean> {
  const noted = await tx
    .updateTable("attempt")
    .set((eb) => ({ sent_as_refund: eb.fn.coalesce("sent_as_refund", eb.val(isRefund)) }))
    .where(hasKey(attempt))
    .where("status", "=", "processing")
    .returning("sent_as_refund")
    .executeTakeFirst();
  return noted?.sent_as_refund ?? isRefund;
}

/**
 * Records that the acquirer has accepted an attempt. A notification has the outcome.
 *
 * @returns undefined if it was accepted before, or has its outcome
 */
export async function accept(
  tx: Tx,
  attempt: Row<"attempt">,
  details: AcquirerDetails,
  resolves: Resolves,
  now: Date,
): Promise<Row<"attempt"> | undefined> {
  return await tx
    .updateTable("attempt")
    .set({
      ...detailColumns(details),
      accepted_at: now,
      next_call_at: unlessWithdrawn(attempt, nextCallAt({ ...attempt, accepted_at: now }, resolves, now)),
      claimed_until: null,
    })
    .where(hasKey(attempt))
    .where("status", "=", "processing")
    .where("accepted_at", "is", null)
    .returningAll()
    .executeTakeFirst();
}

/**
 * Cancels a charge that is still `processing`: stops sending its authorization and schedules a check with the acquirer
 * at once.
 *
 * @returns the attempt, or undefined if its outcome is already known or a step-up is in progress
 */
export async function withdrawAuthorization(
  { now }: Pick<PlatformContext, "now">,
  tx: Tx,
  chargeId: string,
): Promise<string | undefined> {
  const time = now();
  const withdrawn = await tx
    .updateTable("attempt")
    .set({ withdrawn_at: sql<Date>`coalesce(withdrawn_at, ${time})`, next_call_at: time })
    .where(hasId(chargeId, "charge_id"))
    .where("kind", "=", "authorize")
    .where("status", "=", "processing")
    .returning("id")
    .executeTakeFirst();
  return withdrawn?.id;
}

/** @returns undefined if another process finished the attempt first, in which case the caller must do nothing more */
export async function finish(tx: Tx, id: string, reply: FinalReply, now: Date): Promise<Row<"attempt"> | undefined> {
  return await tx
    .updateTable("attempt")
    .set({ ...replyColumns(reply), finished_at: now, claimed_until: null })
    .where(hasId(id))
    .where("status", "=", "processing")
    .returningAll()
    .executeTakeFirst();
}

/**
 * Claims attempts whose next call is due and that no process is calling about: the pause after the last call is over, or
 * the process that should have made the call died. Each attempt goes to only one process.
 */
export async function takeDueAttempts(
  context: Pick<PlatformContext, "db" | "nodes" | "now" | "log">,
  limit: number,
): Promise<Row<"attempt">[]> {
  const { db, now } = context;
  const time = now();
  const taken = await takeDue(context, {
    step: "take due attempts",
    due: db
      .selectFrom("attempt")
      .select(["account_no", "livemode", "id"])
      .where("status", "=", "processing")
      .where("next_call_at", "<=", time)
      .where((eb) => isUnclaimed(eb, time))
      .orderBy("next_call_at"),
    limit,
    take: (areTaken) => db.updateTable("attempt").set(claimed(time)).where(areTaken).returningAll().execute(),
  });
  return taken.flat();
}

function claimed(time: Date) {
  return {
    calls: sql<number>`calls + 1`,
    first_called_at: sql<Date | null>`case when calls = 0 then ${time}::timestamptz else first_called_at end`,
    claimed_until: secondsFrom(time, claimSeconds),
  };
}

/** When the next call is due. If the attempt was withdrawn since it was read, that's at once, and stays so. */
function unlessWithdrawn({ withdrawn_at }: Row<"attempt">, next: Date) {
  return sql<Date>`case when withdrawn_at is not distinct from ${withdrawn_at} then ${next} else next_call_at end`;
}

function isUnclaimed({ eb, or }: ExpressionBuilder<Tables, "attempt">, time: Date) {
  return or([eb("claimed_until", "is", null), eb("claimed_until", "<=", time)]);
}

/** The request that created the attempt. The attempt's events refer to it. */
export function causeOf(attempt: Row<"attempt">): Cause {
  return { requestId: attempt.request_id, idempotencyKey: attempt.idempotency_key };
}

function secondsFrom(now: Date, seconds: number): Date {
  return new Date(now.getTime() + seconds * 1000);
}
