/**
 * Recovers attempts with an unknown outcome that no process is handling, and 3-D Secure results that no process could
 * receive. It runs first at every startup and separately from the housekeeping in `worker.ts`, so that nothing delays
 * it.
 *
 * A process with the role `api` runs it once, at startup, because a result may have been sent while the process was
 * down. The other roles repeat it every two seconds. Each attempt and each authentication is handed to one process, and
 * each process limits its concurrent calls to the acquirer.
 */
import { recoverEverySeconds } from "../attempts/deadlines.ts";
import { takeOverdueAttempts } from "../attempts/attempt-state.ts";
import { runAttempt } from "./run-attempt.ts";
import type { PaymentContext } from "../context.ts";
import { stackOf } from "../../platform/stack-of.ts";
import { requestResult, takeMissingResults } from "./threeds/request-result.ts";
import { inParallel } from "../../platform/jobs/in-parallel.ts";
import { repeat } from "../../platform/jobs/repeat.ts";

/** Concurrent calls to the acquirer per process, for attempts and for results each. */
const maxConcurrent = 16;
/** How many rows a process takes at a time. */
const batchSize = 64;
/** The maximum number of batches per run. The next run continues from there. */
const maxBatches = 20;

/** @returns a function that stops the recovery */
export function startRecovery(context: PaymentContext, { again }: { again: boolean }): () => void {
  const startedAt = context.now();
  const runs = [
    ["resume attempts", () => resumeAttempts(context)],
    ["request results", () => askForResults(context, startedAt)],
  ] as const;
  if (again) {
    const stops = runs.map(([what, run]) => repeat(context, what, recoverEverySeconds * 1000, run));
    return () => stops.forEach((stop) => stop());
  }
  for (const [what, run] of runs) context.inBackground(what, run());
  return () => {};
}

/**
 * Runs attempts that are due but that no process is handling. Money may have moved, so their outcome must be checked.
 */
export async function resumeAttempts(context: PaymentContext): Promise<void> {
  for (let i = 0; i < maxBatches; i++) {
    const taken = await takeOverdueAttempts(context, batchSize);
    await inParallel(taken, maxConcurrent, (id) =>
      guarded(context, `resume attempt ${id}`, () => runAttempt(context, id)),
    );
    if (taken.length < batchSize) return;
  }
}

/** @param startedAt when this process started. Results that were sent before that may not have reached any process. */
export async function askForResults(context: PaymentContext, startedAt: Date): Promise<void> {
  for (let i = 0; i < maxBatches; i++) {
    const taken = await takeMissingResults(context, startedAt, batchSize);
    let isBankSilent = false;
    await inParallel(taken, maxConcurrent, (pending) =>
      guarded(context, `request the result of ${pending.id}`, async () => {
        if ((await requestResult(context, pending)) === "silent") isBankSilent = true;
      }),
    );
    // If the acquirer didn't respond, requesting the rest is pointless.
    if (taken.length < batchSize || isBankSilent) return;
  }
}

/** Logs an error, so that one failure doesn't hold up the others. */
async function guarded({ log }: PaymentContext, what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.error({ step: what, error: stackOf(error) }, "A recovery step failed and will be retried");
  }
}
