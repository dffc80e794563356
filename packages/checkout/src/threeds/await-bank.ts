/**
 * While the customer is with the bank, the service is asked every two seconds how it ended; whatever comes from the
 * bank's side, and a page that is shown again, only makes it be asked at once. The service's deadline ends it, not this
 * file.
 */
import type { FramePayment } from "@oriel/protocol/frame";
import type { FrameEvents } from "@oriel/protocol/windows";
import type { WakeableWait } from "../service/wakeable-wait.ts";
import type { FrameApi } from "../service/frame-api.ts";

export interface AwaitBankWorld {
  api: Pick<FrameApi, "payment" | "cancel">;
  wait: WakeableWait;
  now(): number;
}

export interface BankStep {
  id: string;
  /** Unix seconds. */
  deadline: number;
  /** The answer is still what is shown here. */
  isShown(payment: FramePayment): boolean;
  /** Called with every such answer. */
  heard?(payment: FramePayment): void;
  /** Called before each question. */
  waited?(ms: number): void;
  cancelFailed(): void;
}

/** What the bank asks of the customer, under way. */
export interface RunningBankStep {
  /** What the payment became; null when the service refuses to say. */
  result: Promise<FramePayment | null>;
  /** Once; again only if the service could not be told. */
  cancel(by: Canceler): Promise<void>;
}

export interface AwaitedBank extends RunningBankStep {
  /** Who gave it up here. */
  canceler(): Canceler | null;
}

export type Canceler = FrameEvents["cancel"]["by"];

const pollMs = 2_000;
/** For a service that cannot be reached after its own deadline. */
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
      step.heard?.(outcome.body);
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
