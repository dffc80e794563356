/**
 * The challenge: shows the bank's page and asks the service, again and again, how it ended. Messages from the bank's side only make it
 * ask at once. The form with the `creq` is posted once per payment and once more after a reload; the service's deadline ends it.
 */
import type { FramePayment } from "@oriel/protocol/frame";
import { challengeWindowSizes } from "@oriel/protocol/threeds";
import type { ChallengeOutcome, FrameEvents, Room } from "@oriel/protocol/windows";
import type { Alarm } from "../alarm.ts";
import type { FrameApi } from "../frame-api.ts";
import type { Page } from "../page.ts";
import { bankFrame } from "../text.ts";
import { showBankView } from "./bank-view.ts";
import { challengeOrder } from "./runner-frame.ts";
import type { OpenRunner } from "./runner-frame.ts";

export type ChallengedPayment = Extract<FramePayment, { status: "challenge" }>;

export interface ChallengeWorld {
  page: Page;
  api: FrameApi;
  alarm: Alarm;
  openRunner: OpenRunner;
  room(): Room;
  now(): number;
  mayPost(payment: string): boolean;
  started(detail: FrameEvents["challengestart"]): void;
  ended(detail: FrameEvents["challengeend"]): void;
}

export interface RunningChallenge {
  /** What the payment became; null when the service refuses to say. */
  result: Promise<FramePayment | null>;
  cancel(): void;
}

const pollMs = 2_000;
/** The service ends a challenge at its deadline; this is for a service that cannot be reached. */
const patienceMs = 30 * 60_000;

export function runChallenge(payment: ChallengedPayment, world: ChallengeWorld): RunningChallenge {
  const { page, api, alarm } = world;
  const size = payment.window_size === "05" ? null : challengeWindowSizes[payment.window_size];
  let next: FramePayment | null = null;
  let isCanceling = false;

  const cancel = async () => {
    if (isCanceling) return;
    isCanceling = true;
    const outcome = await api.cancel(payment.id);
    if (outcome.kind === "answer") next = outcome.body;
    else {
      isCanceling = false;
      view.cancelFailed();
    }
    alarm.ring();
  };

  const view = showBankView(page, size, Math.max(world.room().height, 400), cancel);
  world.started({ windowSize: payment.window_size });
  const runner = world.openRunner(payment.runner, view.window, bankFrame);
  runner.on("loaded", view.loaded);
  runner.on("notified", () => {
    view.confirming();
    alarm.ring();
  });
  if (world.mayPost(payment.id)) runner.order(challengeOrder(payment.acs_url, payment.creq, size));
  else view.confirming();

  const watch = async (): Promise<FramePayment | null> => {
    const giveUpAt = Math.max(payment.deadline * 1000, world.now()) + patienceMs;
    while (world.now() < giveUpAt) {
      await alarm.wait(pollMs);
      if (next && !isPending(next)) return next;
      const outcome = await api.payment(payment.id);
      if (outcome.kind === "refused") return null;
      if (outcome.kind === "answer" && !isPending(outcome.body)) return outcome.body;
    }
    return null;
  };
  const result = watch().then((ended) => {
    // The bank's page goes before anything else is shown.
    runner.close();
    view.close();
    world.ended({ outcome: ended ? challengeOutcome(ended) : "unavailable" });
    return ended;
  });
  return { result, cancel: () => void cancel() };
}

function isPending(payment: FramePayment): boolean {
  return payment.status === "challenge" || payment.status === "authenticating" || payment.status === "three_ds";
}

/** How the *challenge* ended. A payment that was not declined has passed it. */
function challengeOutcome(payment: FramePayment): ChallengeOutcome {
  return payment.status === "declined" ? (payment.challenge_outcome ?? "unavailable") : "authenticated";
}
