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
 */
import { sql } from "kysely";
import { CardGoneError, type AuthorizationOutcome } from "@oriel/vault";
import type { Context, Origin, Tenant } from "../context.ts";
import { complete } from "../sessions/session-state.ts";
import { failTry } from "./fail-try.ts";
import { recordEvent } from "../webhooks/events.ts";
import type { Row } from "../storage/tables.ts";
import { toChargeWithSession } from "./charge-object.ts";

/** Seconds until the bank is asked again, by how often it has been asked; then daily. Only a question that the bank answered ends this. */
const pausesSeconds = [1, 2, 5, 10, 20, 40, 5 * 60, 60 * 60] as const;
const dailySeconds = 24 * 60 * 60;

/** Runs the attempt once; true when its outcome is final. An unknown outcome leaves a job that asks again. */
export async function runAttempt(context: Context, attemptId: string, asked = 0): Promise<boolean> {
  const attempt = await loadAttempt(context, attemptId);
  if (attempt.status !== "processing") return true;

  const outcome = await askBank(context, attempt);
  if (outcome.outcome === "unknown") {
    const pause = pausesSeconds[asked] ?? dailySeconds;
    context.log.warn(
      { attempt: attemptId, charge: attempt.charge_id, asked, pause },
      "The bank's answer is not known; it will be asked again",
    );
    await context.db.transaction().execute((tx) => context.jobs.send(tx, "attempt", { attemptId, asked: asked + 1 }, pause));
    return false;
  }
  await settle(context, attempt, outcome);
  return true;
}

type AttemptToRun = Awaited<ReturnType<typeof loadAttempt>>;

async function loadAttempt({ db }: Context, attemptId: string) {
  return await db
    .selectFrom("attempt")
    .innerJoin("charge", "charge.id", "attempt.charge_id")
    .leftJoin("authentication", "authentication.decision_id", "charge.decision_id")
    .select(["attempt.id", "attempt.charge_id", "attempt.status", "attempt.times_sent"])
    .select(["charge.account_id", "charge.livemode", "charge.session_id", "charge.payment_method_id", "charge.decision_id"])
    .select(["charge.amount", "charge.currency", "charge.request_id", "charge.idempotency_key"])
    .select(["authentication.eci", "authentication.authentication_value", "authentication.ds_trans_id"])
    .where("attempt.id", "=", attemptId)
    .executeTakeFirstOrThrow();
}

async function askBank({ db, vault }: Context, attempt: AttemptToRun): Promise<AuthorizationOutcome> {
  await db
    .updateTable("attempt")
    .set({ times_sent: sql<number>`times_sent + 1` })
    .where("id", "=", attempt.id)
    .execute();
  if (attempt.times_sent > 0) {
    const known = await vault.lookup(attempt.payment_method_id, attempt.id);
    if (known.outcome !== "absent") return known;
  }
  try {
    return await vault.authorize(attempt.payment_method_id, {
      reference: attempt.id,
      amount: attempt.amount,
      currency: attempt.currency,
      capture: true,
      ...(attempt.eci === null || attempt.ds_trans_id === null
        ? {}
        : {
            three_d_secure: {
              eci: attempt.eci,
              ds_trans_id: attempt.ds_trans_id,
              ...(attempt.authentication_value === null ? {} : { authentication_value: attempt.authentication_value }),
            },
          }),
    });
  } catch (error) {
    // The bank has never heard of this attempt and the card is not kept any more: no money can move under this id.
    if (error instanceof CardGoneError) return { outcome: "declined", declineCode: "processing_error" };
    throw error;
  }
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
      await recordEvent(
        context,
        tx,
        tenantOf(charge),
        { type: "payment.succeeded", object: toChargeWithSession(charge, session) },
        originOf(charge),
      );
    } else {
      await failTry(context, tx, charge);
    }
    return true;
  });
  if (!settled) return;
  context.log.info(
    { charge: attempt.charge_id, attempt: attempt.id, outcome: outcome.outcome, decline_code: declineCode },
    `The bank ${outcome.outcome} the charge`,
  );
  if (attempt.session_id !== null) await eraseCardOf(context, attempt.payment_method_id);
}

/** The card of a payment method that was not saved has served. Should this fail, the sweeper does it. */
async function eraseCardOf({ db, vault, now }: Context, paymentMethodId: string): Promise<void> {
  await vault.erase([paymentMethodId]);
  await db.updateTable("payment_method").set({ card_erased_at: now() }).where("id", "=", paymentMethodId).execute();
}

function tenantOf(charge: Row<"charge">): Tenant {
  return { accountId: charge.account_id, livemode: charge.livemode };
}

function originOf(charge: Row<"charge">): Origin {
  return { requestId: charge.request_id, idempotencyKey: charge.idempotency_key };
}
