/**
 * What time itself changes, and what a process that died left lying: at start and once a minute. Every step is made of conditional updates, so
 * any number of processes may sweep at once. A step that fails is logged and tried again a minute later; the others go on.
 */
import { noCause, type Context } from "../context.ts";
import { expireDecisions } from "../decisions/decisions.ts";
import { eraseCard } from "../payments/erase-card.ts";
import { toCheckoutSession } from "../sessions/checkout-sessions.ts";
import { expireDue } from "../sessions/session-state.ts";
import { tenantOf } from "../tenant.ts";
import { conclude, findOverdue } from "../threeds/authentications.ts";
import { recordEvent } from "../webhooks/events.ts";

const everyMs = 60_000;
/** How many of a kind one transaction takes. A step goes on until it finds fewer, but not for ever. */
const batch = 100;
const maxBatches = 100;
/** A job this late is not coming any more: its process died, or its handler failed too often. */
const overdueMs = 60_000;

/** Sweeps now and every minute until the returned function is called. */
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

/** Cards that were not saved and whose payment is over. Mostly done when the payment ends; this is for the process that died just then. */
async function eraseServedCards(context: Context): Promise<number> {
  const served = await context.db
    .selectFrom("payment_method")
    .leftJoin("decision", "decision.payment_method_id", "payment_method.id")
    .leftJoin("charge", "charge.decision_id", "decision.id")
    .select("payment_method.id")
    .where("payment_method.card_erased_at", "is", null)
    .where(({ eb, or, and }) =>
      or([
        eb("decision.status", "in", ["declined", "expired"]),
        and([eb("decision.status", "=", "consumed"), eb("charge.status", "in", ["succeeded", "failed", "canceled"])]),
      ]),
    )
    .limit(batch)
    .execute();
  for (const { id } of served) await eraseCard(context, id);
  return served.length;
}

async function expireSessions(context: Context): Promise<number> {
  return await context.db.transaction().execute(async (tx) => {
    const sessions = await expireDue(tx, context.now(), batch);
    for (const session of sessions) {
      const expired = { type: "checkout_session.expired", object: toCheckoutSession(session, context.now()) } as const;
      await recordEvent(context, tx, tenantOf(session), expired, noCause);
    }
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

/** Answers are replayed for 24 hours. A key whose request has not finished is never forgotten. */
async function forgetOldKeys({ db, now }: Context): Promise<number> {
  const oldest = new Date(now().getTime() - 24 * 60 * 60 * 1000);
  await db.deleteFrom("idempotency_key").where("created_at", "<", oldest).where("response_status", "is not", null).execute();
  return 0;
}

async function guarded(context: Context, what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const details = { step: what, error: error instanceof Error ? error.stack : String(error) };
    context.log.error(details, "A step of the sweep failed; it will be tried again in a minute");
  }
}

function overdue(now: Date): Date {
  return new Date(now.getTime() - overdueMs);
}
