/**
 * The challenge: shows the bank's page and asks the service, again and again, how it ended. Messages from the bank's side only make it
 * ask at once. The form with the `creq` is posted once per payment and once more after a reload; the service's deadline ends it.
 */
import type { FramePayment } from "@oriel/protocol/frame";
import { challengeWindowSizes } from "@oriel/protocol/threeds";
import type { ChallengeOutcome, FrameEvents } from "@oriel/protocol/windows";
import type { Alarm } from "../alarm.ts";
import type { FrameApi } from "../frame-api.ts";
import type { Page } from "../page.ts";
import english from "../texts/en-bank.ts";
import type { BankOverlay } from "./bank-overlay.ts";
import { showBankView } from "./bank-view.ts";
import { challengeOrder } from "./runner-frame.ts";
import type { OpenRunner } from "./runner-frame.ts";

export type ChallengedPayment = Extract<FramePayment, { status: "challenge" }>;

export interface ChallengeWorld {
  page: Page;
  api: FrameApi;
  alarm: Alarm;
  openRunner: OpenRunner;
  overlay: BankOverlay;
  now(): number;
  mayPost(payment: string): boolean;
  tell<K extends "challengestart" | "challengeend" | "cancel">(name: K, detail: FrameEvents[K]): void;
}

export interface RunningChallenge {
  /** What the payment became; null when the service refuses to say. */
  result: Promise<FramePayment | null>;
  cancel(by: Canceler): void;
}

type Canceler = FrameEvents["cancel"]["by"];

const pollMs = 2_000;
/** The service ends a challenge at its deadline; this is for a service that cannot be reached. */
const patienceMs = 30 * 60_000;

/** @param height in CSS pixels, of a window that has no size of its own */
export function runChallenge(
  payment: ChallengedPayment,
  presentation: "inline" | "overlay",
  height: number,
  world: ChallengeWorld,
): RunningChallenge {
  const { page, api, alarm } = world;
  const size = payment.window_size === "05" ? null : challengeWindowSizes[payment.window_size];
  let next: FramePayment | null = null;
  let canceler: Canceler | null = null;

  const cancel = async (by: Canceler) => {
    if (canceler) return;
    canceler = by;
    const outcome = await api.cancel(payment.id);
    if (outcome.kind === "answer") next = outcome.body;
    else {
      canceler = null;
      view.cancelFailed();
    }
    alarm.ring();
  };

  if (presentation === "overlay") world.overlay.open();
  const view = showBankView(page, size, height, () => void cancel("customer"));
  world.tell("challengestart", { windowSize: payment.window_size, presentation });
  const runner = world.openRunner(payment.runner, view.window, page.words.texts.bankFrame ?? english.bankFrame);
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
    world.overlay.close();
    const outcome = ended ? challengeOutcome(ended) : "unavailable";
    // Given up on the bank's own page, it was the customer too.
    if (outcome === "canceled") world.tell("cancel", { by: canceler ?? "customer" });
    world.tell("challengeend", { outcome });
    return ended;
  });
  return { result, cancel: (by) => void cancel(by) };
}

function isPending(payment: FramePayment): boolean {
  return payment.status === "challenge" || payment.status === "authenticating" || payment.status === "three_ds";
}

/** How the *challenge* ended. A payment that was not declined has passed it. */
function challengeOutcome(payment: FramePayment): ChallengeOutcome {
  return payment.status === "declined" ? (payment.challenge_outcome ?? "unavailable") : "authenticated";
}
