/**
 * What time itself changes, and what a process that died left lying: at start and every fifteen seconds. Every step is made of conditional updates, so
 * any number of processes may sweep at once. A step that fails is logged and tried again the next time; the others go on.
 */
import { noCause, type Context } from "../context.ts";
import { expireDecisions } from "../decisions/decision-state.ts";
import { forgetAnswers } from "../idempotency/idempotency.ts";
import { forgetFullBuckets } from "../limits/rate-limit.ts";
import { eraseCard } from "../payments/erase-card.ts";
import { forgetOldTries } from "../risk/card-tries.ts";
import { recordIfExpired } from "../sessions/record-expired.ts";
import { expireDue } from "../sessions/session-state.ts";
import { conclude, findOverdue } from "../threeds/authentications.ts";

const everyMs = 15_000;
/** How many of a kind one transaction takes. A step goes on until it finds fewer, but not for ever. */
const batch = 100;
const maxBatches = 100;
/** A job this late is not coming any more: its process died, or its handler failed too often. */
const overdueMs = 20_000;

/** Sweeps now and every fifteen seconds until the returned function is called. */
export function startSweeper(context: Context): () => void {
  const run = () => context.inBackground("sweep", sweep(context));
  run();
  const timer = setInterval(run, everyMs);
  return () => clearInterval(timer);
}

/** Every step answers how many it took. */
export async function sweep(context: Context): Promise<void> {
  for (const step of [
    eraseOutlivedCards,
    endOverdueAuthentications,
    expireUnusedDecisions,
    eraseServedCards,
    expireSessions,
    resumeAttempts,
    resumeDeliveries,
    forgetOldKeys,
    forgetOldTries,
    forgetFullLimits,
  ]) {
    await guarded(context, step.name, async () => {
      for (let taken = batch, i = 0; taken === batch && i < maxBatches; i++) taken = await step(context);
    });
  }
}

async function eraseOutlivedCards({ vault }: Context): Promise<number> {
  await vault.sweep();
  return 0;
}

/** A browser that vanished during 3-D Secure: the payment has failed, the session is free again. */
async function endOverdueAuthentications(context: Context): Promise<number> {
  const overdue = await findOverdue(context, batch);
  for (const id of overdue) await guarded(context, `end authentication ${id}`, () => conclude(context, id, "timed_out"));
  return overdue.length;
}

async function expireUnusedDecisions({ db, now }: Context): Promise<number> {
  return await db.transaction().execute((tx) => expireDecisions(tx, { limit: batch }, now()));
}

/** Cards that are not to be kept and with which nothing is under way. Mostly done when the payment ends; this is for the process that died just then. */
async function eraseServedCards(context: Context): Promise<number> {
  const served = await context.db
    .selectFrom("payment_method")
    .select("payment_method.id")
    .where("payment_method.card_erased_at", "is", null)
    .where("payment_method.reusable", "=", false)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("decision")
            .leftJoin("attempt", (join) =>
              join.onRef("attempt.decision_id", "=", "decision.id").on("attempt.kind", "in", ["authorize", "verify"]),
            )
            .select("decision.id")
            .whereRef("decision.payment_method_id", "=", "payment_method.id")
            .where(({ eb, or }) =>
              or([eb("decision.status", "in", ["requires_action", "approved"]), eb("attempt.status", "=", "processing")]),
            ),
        ),
      ),
    )
    .limit(batch)
    .execute();
  for (const { id } of served) await eraseCard(context, id);
  return served.length;
}

async function expireSessions(context: Context): Promise<number> {
  return await context.db.transaction().execute(async (tx) => {
    const sessions = await expireDue(tx, context.now(), batch);
    for (const session of sessions) await recordIfExpired(context, tx, session, noCause);
    return sessions.length;
  });
}

/** Attempts that are due to be asked about and whose job is not coming: money may have moved, so somebody has to ask. */
async function resumeAttempts({ db, jobs, now }: Context): Promise<number> {
  return await db.transaction().execute(async (tx) => {
    const resumed = await tx
      .updateTable("attempt")
      .set({ next_ask_at: now() })
      .where("id", "in", (eb) =>
        eb
          .selectFrom("attempt")
          .select("id")
          .where("status", "=", "processing")
          .where("next_ask_at", "<=", overdue(now()))
          .limit(batch)
          .forUpdate()
          .skipLocked(),
      )
      .returning("id")
      .execute();
    for (const { id } of resumed) await jobs.send(tx, "attempt", { attemptId: id });
    return resumed.length;
  });
}

/** The same for deliveries. */
async function resumeDeliveries({ db, jobs, now }: Context): Promise<number> {
  return await db.transaction().execute(async (tx) => {
    const resumed = await tx
      .updateTable("delivery")
      .set({ next_try_at: now() })
      .where("id", "in", (eb) =>
        eb
          .selectFrom("delivery")
          .select("id")
          .where("status", "=", "pending")
          .where("next_try_at", "<=", overdue(now()))
          .limit(batch)
          .forUpdate()
          .skipLocked(),
      )
      .returning("id")
      .execute();
    for (const { id } of resumed) await jobs.send(tx, "deliver", { deliveryId: id });
    return resumed.length;
  });
}

async function forgetOldKeys(context: Context): Promise<number> {
  await forgetAnswers(context);
  return 0;
}

async function forgetFullLimits({ db }: Context): Promise<number> {
  await forgetFullBuckets(db);
  return 0;
}

async function guarded(context: Context, what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const details = { step: what, error: error instanceof Error ? error.stack : String(error) };
    context.log.error(details, "A step of the sweep failed; it will be tried again");
  }
}

function overdue(now: Date): Date {
  return new Date(now.getTime() - overdueMs);
}
