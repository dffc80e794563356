/**
 * While the customer is with the bank, polls the service every two seconds for the outcome. Messages from the bank's
 * side, and showing the page again, only trigger a poll at once. The service's deadline ends the wait, not a timer
 * here.
 */
import type { FramePayment } from "@oriel/protocol/frame";
import type { FrameEvents } from "@oriel/protocol/windows";
import type { FrameApi } from "../service/frame-api.ts";
import type { WakeableWait } from "../service/wakeable-wait.ts";

export interface AwaitBankWorld {
  api: Pick<FrameApi, "payment" | "cancel">;
  wait: WakeableWait;
  now(): number;
}

export interface BankStep {
  id: string;
  /** Unix seconds. */
  deadline: number;
  /** Whether the payment is still in the step that is shown here. */
  isShown(payment: FramePayment): boolean;
  /** Called with each payment that is still in this step. */
  polled?(payment: FramePayment): void;
  /** Called before each poll. */
  waited?(ms: number): void;
  cancelFailed(): void;
}

/** A bank step that is in progress. */
export interface RunningBankStep {
  /** The payment after the step; null if the service refuses to say. */
  result: Promise<FramePayment | null>;
  /** Cancels. Works only once, unless the service couldn't be reached. */
  cancel(by: Canceler): Promise<void>;
}

export interface AwaitedBank extends RunningBankStep {
  /** Who canceled it on this page. */
  canceler(): Canceler | null;
}

export type Canceler = FrameEvents["cancel"]["by"];

const pollMs = 2_000;
/** How long to keep polling after the deadline if the service can't be reached. */
const patienceMs = 30 * 60_000;

export function awaitBank(step: BankStep, { api, wait, now }: AwaitBankWorld): AwaitedBank {
  const { id } = step;
  let canceled: FramePayment | null = null;
  let canceler: Canceler | null = null;

  const watch = async (): Promise<FramePayment | null> => {
    const startedAt = now();
    const giveUpAt = Math.max(step.deadline * 1000, startedAt) + patienceMs;
    while (now() < giveUpAt) {
      await wait.for(pollMs);
      step.waited?.(now() - startedAt);
      if (canceled && !step.isShown(canceled)) return canceled;
      const outcome = await api.payment(id);
      if (outcome.kind === "refused") return null;
      if (outcome.kind !== "answer") continue;
      if (!step.isShown(outcome.body)) return outcome.body;
      step.polled?.(outcome.body);
    }
    return null;
  };

  return {
    result: watch(),
    async cancel(by) {
      if (canceler) return;
      canceler = by;
      const outcome = await api.cancel(id);
      if (outcome.kind === "answer") canceled = outcome.body;
      else {
        canceler = null;
        step.cancelFailed();
      }
      wait.wake();
    },
    canceler: () => canceler,
  };
}
