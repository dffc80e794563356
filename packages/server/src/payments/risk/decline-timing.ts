/**
 * When the decline of a new customer's card becomes known. Acquirers and issuers report some refusals faster than
 * others, and the time could reveal why a card was declined. So a decline is settled a whole number of steps after the
 * acquirer was called. Until then, the payment is `processing`, whichever way the customer looks at it, and a
 * notification of the decline waits.
 *
 * A payment that ends before the acquirer is called says nothing about the card. Only its response is delayed, by a
 * step.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { PlatformContext } from "../../platform/context.ts";

/** Longer than most acquirers take to respond. */
export const defaultDeclineStepMs = 3_000;

export type DeclineContext = Pick<PlatformContext, "now"> & { declineStepMs: number };

/** Waits for the next whole step after the start. Returns at once if the step is 0. */
export async function waitForStep({ now, declineStepMs }: DeclineContext, startedAt: Date): Promise<void> {
  const elapsedMs = now().getTime() - startedAt.getTime();
  const waitMs = declineStepMs === 0 ? 0 : untilNextStep(elapsedMs, declineStepMs);
  if (waitMs > 0) await pause(waitMs);
}

/** Waits until a step after the time has passed. */
export async function waitForFirstStep({ now, declineStepMs }: DeclineContext, time: Date): Promise<void> {
  const waitMs = time.getTime() + declineStepMs - now().getTime();
  if (waitMs > 0) await pause(waitMs);
}

/** @returns milliseconds, up to a whole step. At least one step is over afterwards. */
export function untilNextStep(elapsedMs: number, stepMs: number): number {
  return stepMs * Math.max(1, Math.ceil(elapsedMs / stepMs)) - elapsedMs;
}
