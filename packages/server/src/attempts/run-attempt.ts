/**
 * One attempt at the bank, from "written down" to "known". No transaction is open while the bank is asked.
 *
 * ```
 * processing --(bank says yes)--> approved: charge succeeded, session complete
 *     |      --(bank says no)---> declined: charge failed, session open again
 *     +--(no answer)--> stays processing. Asked again by reference, never guessed, never failed by itself
 * ```
 * The first time the bank is asked for the money. Any later time it is first asked what it knows of the attempt's id, since an earlier
 * process may have been killed between the bank's answer and our commit. Sending the same id again cannot move money twice: the id is
 * the bank's idempotency key. Two processes may run this at once; the conditional update in `settle` lets one of them through.
 *
 * The row says when the bank may be asked next (`next_ask_at`), and whoever asks claims that moment first, in one conditional update: however many
 * jobs there are, the bank is asked once at a time, and a job that comes too early does nothing. A chain of questions that broke is taken
 * up by the sweeper.
 */
import { sql } from "kysely";
import { CardGoneError, type AuthorizationOutcome } from "@oriel/vault";
import type { Cause, Context } from "../context.ts";
import { eraseCard } from "../payments/erase-card.ts";
import { complete } from "../sessions/session-state.ts";
import type { Tx } from "../storage/database.ts";
import type { Row } from "../storage/tables.ts";
import { tenantOf } from "../tenant.ts";
import { recordEvent } from "../webhooks/events.ts";
import { toChargeWithSession } from "./charge-object.ts";
import { failPayment } from "./fail-payment.ts";

/** Seconds until the bank is asked again, by how often it has been asked; then daily. Only a question that the bank answered ends this. */
const pausesSeconds = [1, 2, 5, 10, 20, 40, 5 * 60, 60 * 60] as const;
const dailySeconds = 24 * 60 * 60;
/** How far the clocks of two processes and the database may be apart. */
const clockSlackMs = 5_000;

/** How long one question can take: twenty seconds, and ten for the lookup after it. Nobody else asks meanwhile. */
const questionSeconds = 30;

/** Asks the bank, if it is time to. An unknown outcome leaves a job that asks again. */
export async function runAttempt(context: Context, attemptId: string): Promise<void> {
  const attempt = await claimQuestion(context, attemptId);
  if (attempt === null) return;

  const outcome = await askBank(context, attempt);
  if (outcome.outcome === "unknown") {
    const pause = pausesSeconds[attempt.times_asked - 1] ?? dailySeconds;
    const details = { attempt: attemptId, charge: attempt.charge_id, asked: attempt.times_asked, again_in_s: pause };
    context.log.warn(details, "The bank's answer is not known; it will be asked again");
    await context.db.transaction().execute((tx) => planQuestion(context, tx, attemptId, pause));
    return;
  }
  await settle(context, attempt, outcome);
}

/** Has the bank asked in so many seconds, whatever becomes of this process. */
async function planQuestion(
  { jobs, now }: Pick<Context, "jobs" | "now">,
  tx: Tx,
  attemptId: string,
  seconds: number,
): Promise<void> {
  await tx
    .updateTable("attempt")
    .set({ next_ask_at: secondsFrom(now(), seconds) })
    .where("id", "=", attemptId)
    .where("status", "=", "processing")
    .execute();
  await jobs.send(tx, "attempt", { attemptId }, seconds);
}

type AttemptToRun = NonNullable<Awaited<ReturnType<typeof claimQuestion>>>;

/** Null when the outcome is final, or when it is not time yet, or when somebody else is asking. `times_asked` counts this question. */
async function claimQuestion({ db, now }: Context, attemptId: string) {
  const claimed = await db
    .updateTable("attempt")
    .set({ times_asked: sql<number>`times_asked + 1`, next_ask_at: secondsFrom(now(), questionSeconds) })
    .where("id", "=", attemptId)
    .where("status", "=", "processing")
    .where("next_ask_at", "<=", new Date(now().getTime() + clockSlackMs))
    .returning(["id", "charge_id", "times_asked"])
    .executeTakeFirst();
  if (claimed === undefined) return null;
  const charge = await db
    .selectFrom("charge")
    .leftJoin("authentication", "authentication.decision_id", "charge.decision_id")
    .select(["charge.session_id", "charge.payment_method_id", "charge.amount", "charge.currency"])
    .select(["authentication.result", "authentication.eci", "authentication.authentication_value", "authentication.ds_trans_id"])
    .where("charge.id", "=", claimed.charge_id)
    .executeTakeFirstOrThrow();
  return { ...claimed, ...charge };
}

async function askBank({ vault }: Context, attempt: AttemptToRun): Promise<AuthorizationOutcome> {
  if (attempt.times_asked > 1) {
    const known = await vault.lookup(attempt.payment_method_id, attempt.id);
    if (known.outcome !== "absent") return known;
  }
  try {
    return await vault.authorize(attempt.payment_method_id, {
      reference: attempt.id,
      amount: attempt.amount,
      currency: attempt.currency,
      capture: true,
      ...proofOf(attempt),
    });
  } catch (error) {
    // The bank has never heard of this attempt and the card is not kept any more: no money can move under this id.
    if (error instanceof CardGoneError) return { outcome: "declined", declineCode: "processing_error" };
    throw error;
  }
}

/** What the issuer gave to show that it was the cardholder; nothing when it gave none. */
function proofOf({ result, eci, authentication_value, ds_trans_id }: AttemptToRun) {
  const isProved = result === "authenticated" || result === "attempted";
  if (!isProved || eci === null || ds_trans_id === null || authentication_value === null) return {};
  return { three_d_secure: { eci, ds_trans_id, authentication_value } };
}

/** Transaction B: attempt, charge, session, event and deliveries in one commit. Does nothing if another process was first. */
async function settle(
  context: Context,
  attempt: AttemptToRun,
  outcome: Exclude<AuthorizationOutcome, { outcome: "unknown" }>,
): Promise<void> {
  const { db, now } = context;
  const declineCode = outcome.outcome === "declined" ? outcome.declineCode : null;
  const settled = await db.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable("attempt")
      .set({ status: outcome.outcome, decline_code: declineCode, finished_at: now() })
      .where("id", "=", attempt.id)
      .where("status", "=", "processing")
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;

    const charge = await tx
      .updateTable("charge")
      .set(
        declineCode === null
          ? { status: "succeeded", amount_captured: attempt.amount }
          : { status: "failed", decline_code: declineCode },
      )
      .where("id", "=", attempt.charge_id)
      .where("status", "=", "processing")
      .returningAll()
      .executeTakeFirstOrThrow();
    if (declineCode === null) {
      const session = charge.session_id === null ? null : await complete(tx, charge.session_id, charge.decision_id);
      const happening = { type: "payment.succeeded", object: toChargeWithSession(charge, session) } as const;
      await recordEvent(context, tx, tenantOf(charge), happening, causeOf(charge));
    } else {
      await failPayment(context, tx, charge, causeOf(charge));
    }
    return true;
  });
  if (!settled) return;
  const details = { charge: attempt.charge_id, attempt: attempt.id, outcome: outcome.outcome, decline_code: declineCode };
  context.log.info(details, `The bank ${outcome.outcome} the charge`);
  if (attempt.session_id !== null) await eraseCard(context, attempt.payment_method_id);
}

function causeOf(charge: Row<"charge">): Cause {
  return { requestId: charge.request_id, idempotencyKey: charge.idempotency_key };
}

function secondsFrom(now: Date, seconds: number): Date {
  return new Date(now.getTime() + seconds * 1000);
}
