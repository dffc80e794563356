/**
 * Expires and deletes rows that are due, at startup and every fifteen seconds. Each step finds rows of all accounts,
 * and then changes one account's rows at a time with conditional updates, so any number of processes can sweep at the
 * same time. A failed step is logged and runs again next time, and the other steps continue. Work that can't wait this
 * long, because money may have moved, is in `payments/flow/recovery.ts`.
 */
import { deleteOldRequests } from "./merchants/request-log/request-log.ts";
import { deleteOldSignIns } from "./merchants/sign-in/delete-old-sign-ins.ts";
import type { PaymentContext } from "./payments/context.ts";
import { expireDecisions } from "./payments/decisions/decision-state.ts";
import { numberAllFeeds } from "./payments/events/feed-queue.ts";
import { runAttempt } from "./payments/flow/run-attempt.ts";
import { endOverdue, findOverdue } from "./payments/flow/threeds/overdue.ts";
import { eraseCard, findErasableCards } from "./payments/payment-methods/erase-card.ts";
import { updateBuckets } from "./payments/risk/bucket.ts";
import { deleteOldTries } from "./payments/risk/card-attempts.ts";
import { watchForCardTesting } from "./payments/risk/card-testing-report.ts";
import { takeEmptyBuckets } from "./payments/risk/empty-buckets.ts";
import { expireSessions } from "./payments/sessions/record-expired.ts";
import { inParallel } from "./platform/background/in-parallel.ts";
import { repeat } from "./platform/background/repeat.ts";
import { deleteOldKeys } from "./platform/idempotency/idempotency.ts";
import { deleteFullBuckets } from "./platform/limits/rate-limit.ts";
import { stackOf } from "./platform/stack-of.ts";

const everyMs = 15_000;
/** How many rows a step handles at a time if they need more than a delete. */
const batch = 100;
/**
 * How many rows a step deletes at a time. A run can delete 500,000 rows of each kind, which is 33,333 a second. A
 * charge leaves two idempotency keys and, with risk rules, one card try.
 */
const deletedAtOnce = 5_000;
/** A step repeats until it finds fewer rows than it may handle, at most this often in one run. */
const maxBatches = 100;
/** How many authentications are ended in parallel, each with a request to the bank. */
const endedAtOnce = 10;

/** Sweeps now and every fifteen seconds until the returned function is called. */
export function startSweeper(context: PaymentContext): () => void {
  return repeat(context, "sweep", everyMs, () => sweep(context));
}

const watchEveryMs = 60_000;

/** Looks for card testing and empty buckets now and every minute until the returned function is called. */
export function startCardTestingWatch(context: PaymentContext): () => void {
  return repeat(context, "watch for card testing", watchEveryMs, () => reportCardTesting(context));
}

/**
 * Records where card testing has started or ended, and emails the owners of accounts where it has started, and of those
 * whose tokens for new customers are used up.
 */
export async function reportCardTesting(context: PaymentContext): Promise<void> {
  await watchForCardTesting(context);
  await takeEmptyBuckets(context, batch);
}

/** @returns the number of rows handled, at most `limit` */
type Step = (context: PaymentContext, limit: number) => Promise<number>;

const steps: readonly (readonly [step: Step, limit: number])[] = [
  [eraseOutlivedCards, batch],
  [endOverdueAuthentications, batch],
  [expireDecisions, batch],
  [eraseServedCards, batch],
  [expireSessions, batch],
  [deleteOldKeys, deletedAtOnce],
  [updateBuckets, batch],
  [deleteOldTries, deletedAtOnce],
  [deleteFullRateBuckets, deletedAtOnce],
  [deleteOldRequests, deletedAtOnce],
  [deleteOldSignIns, deletedAtOnce],
  [numberFeeds, batch],
];

/** Runs all steps. */
export async function sweep(context: PaymentContext): Promise<void> {
  for (const [step, limit] of steps) {
    await guarded(context, step.name, async () => {
      for (let taken = limit, i = 0; taken === limit && i < maxBatches; i++) taken = await step(context, limit);
    });
  }
}

async function eraseOutlivedCards({ vault }: PaymentContext): Promise<number> {
  await vault.sweep();
  return 0;
}

/** Fails payments whose browser disappeared during 3-D Secure, so that the session can be paid again. */
async function endOverdueAuthentications(context: PaymentContext, limit: number): Promise<number> {
  const overdue = await findOverdue(context, { limit });
  await inParallel(overdue, endedAtOnce, async (authentication) => {
    await guarded(context, `end authentication ${authentication.id}`, async () => {
      const attempt = await endOverdue(context, authentication);
      if (attempt !== null) await runAttempt(context, attempt);
    });
  });
  return overdue.length;
}

/** A card is erased when its payment ends. This step erases the cards whose process died at that moment. */
async function eraseServedCards(context: PaymentContext, limit: number): Promise<number> {
  let erased = 0;
  for (const id of await findErasableCards(context, limit)) if (await eraseCard(context, id)) erased++;
  return erased;
}

async function deleteFullRateBuckets({ db }: PaymentContext, limit: number): Promise<number> {
  return await deleteFullBuckets(db, limit);
}

async function numberFeeds(context: PaymentContext): Promise<number> {
  await numberAllFeeds(context);
  return 0;
}

async function guarded(context: PaymentContext, what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const details = { step: what, error: stackOf(error) };
    context.log.error(details, "A background task of the worker failed and will run again");
  }
}
