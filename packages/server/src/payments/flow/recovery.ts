/**
 * Runs attempts whose next call to the acquirer is due and that no process is handling, and requests 3-D Secure results
 * that no process could receive. It runs first at every startup and separately from the housekeeping in `worker.ts`, so
 * that nothing delays it.
 *
 * A process with the role `api` runs it once, at startup, because a result may have been sent while the process was
 * down. The other roles repeat it every second. Each attempt and each authentication is handed to one process, and
 * each process limits its concurrent calls to the acquirer.
 */
import { inParallel } from "../../platform/background/in-parallel.ts";
import { repeat } from "../../platform/background/repeat.ts";
import { stackOf } from "../../platform/stack-of.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { takeDueAttempts } from "../attempts/attempt-state.ts";
import { recoverEverySeconds } from "../attempts/deadlines.ts";
import type { PaymentContext } from "../context.ts";
import { runClaimed } from "./run-attempt.ts";
import { requestResult, takeMissingResults } from "./threeds/request-result.ts";

/** Concurrent calls to the acquirer per process, for attempts and for results each. */
const maxConcurrent = 16;
/** How many results a process requests at a time. */
const batchSize = 64;
/** The maximum number of batches per run. The next run continues from there. */
const maxBatches = 20;

/** @returns a function that stops the recovery */
export function startRecovery(context: PaymentContext, { again }: { again: boolean }): () => void {
  const startedAt = context.now();
  const attempts = createAttemptRunner(context);
  const runs = [
    ["take due attempts", attempts.take],
    ["request results", () => requestResults(context, startedAt)],
  ] as const;
  if (again) {
    const stops = runs.map(([what, run]) => repeat(context, what, recoverEverySeconds * 1000, run));
    return () => {
      attempts.stop();
      stops.forEach((stop) => stop());
    };
  }
  for (const [what, run] of runs) context.inBackground(what, run());
  return attempts.stop;
}

/** Runs all attempts that are due, and waits for them. */
export async function resumeAttempts(context: PaymentContext): Promise<void> {
  const runs: Promise<unknown>[] = [];
  const inBackground: PaymentContext["inBackground"] = (_what, work) => void runs.push(work);
  await createAttemptRunner({ ...context, inBackground }).take();
  for (let i = 0; i < runs.length; i++) await runs[i]; // a run that ends may start others
}

/**
 * Runs due attempts, at most {@link maxConcurrent} at a time. A slow call to the acquirer takes one place and holds up no
 * other attempt.
 */
function createAttemptRunner(context: PaymentContext) {
  const state = { running: 0, isTaking: false, isStopped: false };

  async function take(): Promise<void> {
    if (state.isTaking) return;
    state.isTaking = true;
    try {
      while (!state.isStopped && state.running < maxConcurrent) {
        const taken = await takeDueAttempts(context, maxConcurrent - state.running);
        for (const attempt of taken) context.inBackground(`attempt ${attempt.id}`, run(attempt));
        if (taken.length === 0) return;
      }
    } finally {
      state.isTaking = false;
    }
  }

  async function run(attempt: Row<"attempt">): Promise<void> {
    state.running++;
    await guarded(context, `run attempt ${attempt.id}`, () =>
      context.telemetry.job("attempt", () => runClaimed(context, attempt)),
    );
    const wasFull = state.running-- === maxConcurrent;
    if (wasFull) await guarded(context, "take due attempts", take);
  }

  return { take, stop: () => void (state.isStopped = true) };
}

/** @param startedAt when this process started. Results that were sent before that may not have reached any process. */
export async function requestResults(context: PaymentContext, startedAt: Date): Promise<void> {
  for (let i = 0; i < maxBatches; i++) {
    const taken = await takeMissingResults(context, startedAt, batchSize);
    let isSilent = false;
    await inParallel(taken, maxConcurrent, (pending) =>
      guarded(context, `request the result of ${pending.id}`, async () => {
        if ((await requestResult(context, pending)) === "silent") isSilent = true;
      }),
    );
    // If the acquirer didn't respond, requesting the rest is pointless.
    if (taken.length < batchSize || isSilent) return;
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
