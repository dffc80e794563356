/**
 * Takes up what a process that died has left open, and what nobody was there to hear: attempts whose outcome is
 * unknown, and 3-D Secure results that did not arrive. It comes first at every start, before the housekeeping of
 * `worker.ts`, and shares no round with it, so that nothing holds it up.
 *
 * A process with the role `api` looks once, when it starts: while it was away, the bank may have told it a result in
 * vain. The others go on looking every two seconds. However many processes look at the same moment, each attempt and
 * each authentication is handed out to one of them, and each process asks the bank a few questions at a time.
 */
import { lookEverySeconds } from "../attempts/deadlines.ts";
import { takeOverdueAttempts } from "../attempts/attempt-state.ts";
import { runAttempt } from "./run-attempt.ts";
import type { PaymentContext } from "../context.ts";
import { stackOf } from "../../platform/stack-of.ts";
import { askForResult, takeSilentAuthentications } from "./threeds/ask-for-result.ts";
import { inParallel } from "../../platform/jobs/in-parallel.ts";
import { repeat } from "../../platform/jobs/repeat.ts";

/** How many questions to the bank one process has under way for this, of each kind. */
const atOnce = 16;
/** How many are handed out to one process at a time. */
const batch = 64;
/** How many batches one look takes. The next one goes on. */
const maxBatches = 20;

/** @returns a function that stops looking */
export function startRecovery(context: PaymentContext, { again }: { again: boolean }): () => void {
  const startedAt = context.now();
  const looks = [
    ["resume attempts", () => resumeAttempts(context)],
    ["ask for results", () => askForResults(context, startedAt)],
  ] as const;
  if (again) {
    const stops = looks.map(([what, look]) => repeat(context, what, lookEverySeconds * 1000, look));
    return () => stops.forEach((stop) => stop());
  }
  for (const [what, look] of looks) context.inBackground(what, look());
  return () => {};
}

/** Attempts that are due and that nobody comes for: money may have moved, so somebody has to ask. */
export async function resumeAttempts(context: PaymentContext): Promise<void> {
  for (let i = 0; i < maxBatches; i++) {
    const taken = await takeOverdueAttempts(context, batch);
    await inParallel(taken, atOnce, (id) => guarded(context, `resume attempt ${id}`, () => runAttempt(context, id)));
    if (taken.length < batch) return;
  }
}

/** @param startedAt when this process started: whatever was told before that may have been told to nobody */
export async function askForResults(context: PaymentContext, startedAt: Date): Promise<void> {
  for (let i = 0; i < maxBatches; i++) {
    const taken = await takeSilentAuthentications(context, startedAt, batch);
    let isBankSilent = false;
    await inParallel(taken, atOnce, (silent) =>
      guarded(context, `ask for the result of ${silent.id}`, async () => {
        if ((await askForResult(context, silent)) === "silent") isBankSilent = true;
      }),
    );
    if (taken.length < batch || isBankSilent) return; // the rest would learn no more
  }
}

/** One that fails must not hold up the others. */
async function guarded({ log }: PaymentContext, what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.error({ step: what, error: stackOf(error) }, "A step of the recovery failed; it will be tried again");
  }
}
