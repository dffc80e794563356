/**
 * What time itself changes, and what has to be thrown away: at start and every fifteen seconds. Every step is made of
 * conditional updates, so any number of processes may sweep at once. A step that fails is logged and tried again the
 * next time; the others go on. What cannot wait so long, because money may have moved, is in
 * `payments/flow/recovery.ts`.
 */
import { runAttempt } from "./payments/flow/run-attempt.ts";
import { noCause } from "./platform/cause.ts";
import type { PaymentContext } from "./payments/context.ts";
import { expireDecisions } from "./payments/decisions/decision-state.ts";
import { forgetAnswers } from "./platform/idempotency/idempotency.ts";
import { forgetFullBuckets } from "./platform/limits/rate-limit.ts";
import { eraseCard, findErasableCards } from "./payments/payment-methods/erase-card.ts";
import { forgetTries } from "./payments/risk/card-tries.ts";
import { forgetRequests } from "./merchants/request-log/request-log.ts";
import { forgetSignIns } from "./merchants/sign-in/forget-sign-ins.ts";
import { recordIfExpired } from "./payments/sessions/record-expired.ts";
import { expireDue } from "./payments/sessions/session-state.ts";
import { endOverdue, findOverdue } from "./payments/flow/threeds/overdue.ts";
import { noteEventClock } from "./payments/events/event-clock.ts";
import { stackOf } from "./platform/stack-of.ts";
import { inParallel } from "./platform/jobs/in-parallel.ts";
import { repeat } from "./platform/jobs/repeat.ts";

const everyMs = 15_000;
/** How many of a kind one transaction takes. A step goes on until it finds fewer, but not for ever. */
const batch = 100;
const maxBatches = 100;
/** How many authentications are ended at once: the bank is asked about each. */
const endedAtOnce = 10;

/** Sweeps now and every fifteen seconds until the returned function is called. */
export function startSweeper(context: PaymentContext): () => void {
  return repeat(context, "sweep", everyMs, () => sweep(context));
}

/** Every step answers how many it took. */
export async function sweep(context: PaymentContext): Promise<void> {
  for (const step of [
    eraseOutlivedCards,
    endOverdueAuthentications,
    expireUnusedDecisions,
    eraseServedCards,
    expireSessions,
    forgetOldAnswers,
    forgetOldTries,
    forgetFullLimits,
    forgetOldRequests,
    forgetOldSignIns,
    noteTransactionIds,
  ]) {
    await guarded(context, step.name, async () => {
      for (let taken = batch, i = 0; taken === batch && i < maxBatches; i++) taken = await step(context);
    });
  }
}

async function eraseOutlivedCards({ vault }: PaymentContext): Promise<number> {
  await vault.sweep();
  return 0;
}

/** A browser that vanished during 3-D Secure: the payment has failed, the session is free again. */
async function endOverdueAuthentications(context: PaymentContext): Promise<number> {
  const overdue = await findOverdue(context, { limit: batch });
  await inParallel(overdue, endedAtOnce, async (authentication) => {
    await guarded(context, `end authentication ${authentication.id}`, async () => {
      const attemptId = await endOverdue(context, authentication);
      if (attemptId !== null) await runAttempt(context, attemptId);
    });
  });
  return overdue.length;
}

async function expireUnusedDecisions({ db, now }: PaymentContext): Promise<number> {
  return await db.transaction().execute((tx) => expireDecisions(tx, { limit: batch }, now()));
}

/** Mostly done when the payment ends; this is for the process that died just then. */
async function eraseServedCards(context: PaymentContext): Promise<number> {
  let erased = 0;
  for (const id of await findErasableCards(context.db, batch)) if (await eraseCard(context, id)) erased++;
  return erased;
}

async function expireSessions(context: PaymentContext): Promise<number> {
  return await context.db.transaction().execute(async (tx) => {
    const sessions = await expireDue(tx, context.now(), batch);
    for (const session of sessions) await recordIfExpired(context, tx, session, noCause);
    return sessions.length;
  });
}

async function forgetOldAnswers(context: PaymentContext): Promise<number> {
  return await forgetAnswers(context, batch);
}

async function forgetOldTries(context: PaymentContext): Promise<number> {
  return await forgetTries(context, batch);
}

async function forgetFullLimits({ db }: PaymentContext): Promise<number> {
  return await forgetFullBuckets(db, batch);
}

/** There are more of them than of anything else, and a row of them is soon deleted. */
async function forgetOldRequests(context: PaymentContext): Promise<number> {
  const many = 10 * batch;
  return (await forgetRequests(context, many)) === many ? batch : 0;
}

async function forgetOldSignIns(context: PaymentContext): Promise<number> {
  return await forgetSignIns(context, batch);
}

async function noteTransactionIds({ db }: PaymentContext): Promise<number> {
  await noteEventClock(db);
  return 0;
}

async function guarded(context: PaymentContext, what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const details = { step: what, error: stackOf(error) };
    context.log.error(details, "A step of the sweep failed; it will be tried again");
  }
}
