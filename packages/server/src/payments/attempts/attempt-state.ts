/**
 * An attempt is one message to the bank: authorize, verify, capture, cancel or refund. Its id is the bank's idempotency
 * key. Every transition is one conditional update. A charge is authorized by one attempt, or by a second one after a
 * step-up (`flow/threeds/step-up.ts`).
 *
 * ```
 *  (written with what it is for, in one transaction)
 *        |
 *        v         claimQuestion
 *   processing  ------------------>  processing, asked by one process, which renews its claim every second
 *     ^    ^                              |           |             |
 *     |    +---- planQuestion ------------+           |             +-- finish --> approved | declined
 *     |          (no answer: asked again after a while)                            (final)
 *     +---- takeOverdueAttempts ----------------------+
 *           (the process died: another takes over when the claim has run out)
 * ```
 * The row says when the bank is due to be asked (`next_ask_at`) and until when somebody is asking (`asking_until`):
 * however many jobs and readers there are, the bank is asked once at a time. Nothing but an answer of the bank ends an
 * attempt. An authorization that the bank doesn't know fails when it can no longer arrive (`last-send.ts`).
 *
 * How long an outcome can stay unknown follows from `deadlines.ts`: a minute after the last death or the bank's last
 * silence it is known.
 */
import { sql } from "kysely";
import type { DeclineCode } from "@oriel/protocol/declines";
import type { Cause } from "../../platform/cause.ts";
import type { PlatformContext } from "../../platform/context.ts";
import type { Tx } from "../../platform/storage/database.ts";
import type { AttemptKind, Row } from "../../platform/storage/tables.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { claimSeconds, overdueSeconds, pausesSeconds, readerPauseSeconds } from "./deadlines.ts";
import { lastArrival } from "./last-send.ts";

/** How far the clocks of two processes and the database may be apart. */
const clockSlackMs = 5_000;

export interface NewAttempt {
  id: string;
  kind: AttemptKind;
  decision_id: string;
  amount: number;
  is_step_up?: true;
  charge_id?: string;
  refund_id?: string;
}

/** When the transaction commits, the bank may be asked; the sweeper sees to it should this process die. */
export async function insertAttempt(
  { now }: Pick<PlatformContext, "now">,
  tx: Tx,
  tenant: Tenant,
  attempt: NewAttempt,
  { requestId, idempotencyKey }: Cause,
): Promise<void> {
  const createdAt = now();
  await tx
    .insertInto("attempt")
    .values({
      ...attempt,
      account_id: tenant.accountId,
      livemode: tenant.livemode,
      status: "processing",
      next_ask_at: createdAt,
      request_id: requestId,
      idempotency_key: idempotencyKey,
      created_at: createdAt,
    })
    .execute();
}

/** How a claim ended: with the right to ask, or why there is none. */
export type Question =
  | { claimed: true; attempt: Row<"attempt"> }
  | { claimed: false; because: "final" | "not_due" | "being_asked" };

/**
 * The right to ask the bank now, for a few seconds: whoever gets it renews it while the question lasts (`claims.ts`).
 *
 * @param wanted by somebody who reads the object: an attempt that is not due yet is asked about as well
 */
export async function claimQuestion(
  { db, now }: Pick<PlatformContext, "db" | "now">,
  id: string,
  wanted: boolean,
): Promise<Question> {
  const time = now();
  let open = db
    .updateTable("attempt")
    .set({ times_asked: sql<number>`times_asked + 1`, asking_until: secondsFrom(time, claimSeconds) })
    .where("id", "=", id)
    .where("status", "=", "processing")
    .where(({ eb, or }) => or([eb("asking_until", "is", null), eb("asking_until", "<=", time)]));
  if (!wanted) open = open.where("next_ask_at", "<=", new Date(time.getTime() + clockSlackMs));
  const attempt = await open.returningAll().executeTakeFirst();
  if (attempt !== undefined) return { claimed: true, attempt };

  const row = await db
    .selectFrom("attempt")
    .select(["status", "asking_until"])
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  if (row.status !== "processing") return { claimed: false, because: "final" };
  if (row.asking_until === null || row.asking_until <= time) return { claimed: false, because: "not_due" };
  return { claimed: false, because: "being_asked" };
}

/**
 * No answer came. Plans when the bank is asked again, whatever becomes of this process. Changes nothing if the question
 * wasn't due yet, or took so long that another process has claimed the attempt.
 *
 * @returns the seconds until then
 */
export async function planQuestion(
  { db, jobs, now }: Pick<PlatformContext, "db" | "jobs" | "now">,
  attempt: Row<"attempt">,
) {
  const time = now();
  const openSeconds = (time.getTime() - attempt.created_at.getTime()) / 1000;
  const pause = pausesSeconds.findLast((seconds) => seconds <= openSeconds) ?? pausesSeconds[0];
  const isPlanned = attempt.next_ask_at > time;
  const end = lastArrival(attempt);
  const secondsToEnd = end !== null && end > time ? Math.ceil((end.getTime() - time.getTime()) / 1000) : Infinity;
  const wait = Math.min(pause, secondsToEnd);
  const next_ask_at = isPlanned ? attempt.next_ask_at : secondsFrom(time, wait);
  await db.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable("attempt")
      .set({ next_ask_at, asking_until: secondsFrom(time, readerPauseSeconds) })
      .where("id", "=", attempt.id)
      .where("status", "=", "processing")
      .where("times_asked", "=", attempt.times_asked)
      .executeTakeFirst();
    if (numUpdatedRows === 1n && !isPlanned) await jobs.send(tx, "attempt", { attemptId: attempt.id }, wait);
  });
  return Math.ceil((next_ask_at.getTime() - time.getTime()) / 1000);
}

/**
 * Cancels a charge that is still `processing`: its authorization is not sent from now on, and the bank is asked at once
 * what became of it.
 *
 * @returns the attempt, or undefined if its outcome is known already or the customer is being authenticated once more
 */
export async function withdrawAuthorization(
  { jobs, now }: Pick<PlatformContext, "jobs" | "now">,
  tx: Tx,
  chargeId: string,
): Promise<string | undefined> {
  const time = now();
  const withdrawn = await tx
    .updateTable("attempt")
    .set({ withdrawn_at: sql<Date>`coalesce(withdrawn_at, ${time})`, next_ask_at: time })
    .where("charge_id", "=", chargeId)
    .where("kind", "=", "authorize")
    .where("status", "=", "processing")
    .returning("id")
    .executeTakeFirst();
  if (withdrawn !== undefined) await jobs.send(tx, "attempt", { attemptId: withdrawn.id });
  return withdrawn?.id;
}

/** Undefined if another process was first; then nothing must follow. */
export async function finish(
  tx: Tx,
  id: string,
  declineCode: DeclineCode | null,
  now: Date,
): Promise<Row<"attempt"> | undefined> {
  return await tx
    .updateTable("attempt")
    .set({
      status: declineCode === null ? "approved" : "declined",
      decline_code: declineCode,
      finished_at: now,
      asking_until: null,
    })
    .where("id", "=", id)
    .where("status", "=", "processing")
    .returningAll()
    .executeTakeFirst();
}

/**
 * Attempts that are due, that nobody is asking about, and whose job is not coming. Each is handed out to one process,
 * and again if that one dies too.
 */
export async function takeOverdueAttempts(
  { db, now }: Pick<PlatformContext, "db" | "now">,
  limit: number,
): Promise<string[]> {
  const time = now();
  const taken = await db
    .updateTable("attempt")
    .set({ next_ask_at: time })
    .where("id", "in", (eb) =>
      eb
        .selectFrom("attempt")
        .select("id")
        .where("status", "=", "processing")
        .where("next_ask_at", "<=", secondsFrom(time, -overdueSeconds))
        .where(({ eb: is, or }) => or([is("asking_until", "is", null), is("asking_until", "<=", time)]))
        .orderBy("next_ask_at")
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returning("id")
    .execute();
  return taken.map(({ id }) => id);
}

/** Which request an attempt came from: the events it makes carry it. */
export function causeOf(attempt: Row<"attempt">): Cause {
  return { requestId: attempt.request_id, idempotencyKey: attempt.idempotency_key };
}

function secondsFrom(now: Date, seconds: number): Date {
  return new Date(now.getTime() + seconds * 1000);
}
