/**
 * Runs the challenge: shows the bank's page and polls the service for the outcome. Messages from the bank's side only
 * trigger a poll at once.
 *
 * ```
 * opening (`creq` posted) --page loaded--> open --notified, or service awaits the bank--> confirming --> outcome
 *    ^                                                                                         ^
 *    +---- this tab's turn comes ----- waiting: another tab shows the bank's page -------------+
 * ```
 * The form is posted once per challenge, and once more after a reload. Only one tab posts it. Another tab that shows
 * the payment waits, offers Cancel, and takes over when the first tab is gone and the customer is looking at it. The
 * service's deadline ends the challenge.
 */
import type { FramePayment } from "@oriel/protocol/frame";
import { challengeWindowSizes } from "@oriel/protocol/threeds";
import type { ChallengeOutcome, FrameEvents } from "@oriel/protocol/windows";
import type { Page } from "../page/page.ts";
import type { AfterTexts } from "../texts/texts.ts";
import { awaitBank } from "./await-bank.ts";
import type { AwaitBankWorld, RunningBankStep } from "./await-bank.ts";
import type { BankOverlay } from "./bank-overlay.ts";
import { showBankView } from "./bank-view.ts";
import type { TakeTurn } from "./challenge-lock.ts";
import { challengeOrder } from "./runner-frame.ts";
import type { OpenRunner, Runner } from "./runner-frame.ts";

export type ChallengedPayment = Extract<FramePayment, { status: "challenge" }>;

export interface ChallengeWorld extends AwaitBankWorld {
  page: Page;
  /** The texts around the bank's page. */
  text: AfterTexts;
  openRunner: OpenRunner;
  overlay: BankOverlay;
  takeTurn: TakeTurn;
  /** Records that this form is about to be posted, and returns whether it may be. */
  mayPost(creq: string): boolean;
  emit<K extends "challengestart" | "challengeend" | "cancel">(name: K, detail: FrameEvents[K]): void;
}

/**
 * @param resumed whether this page found the payment in progress
 * @param height in CSS pixels, for a window without a fixed size
 */
export function runChallenge(
  payment: ChallengedPayment,
  resumed: boolean,
  presentation: "inline" | "overlay",
  height: number,
  world: ChallengeWorld,
): RunningBankStep {
  const { page, text, wait } = world;
  const size = payment.window_size === "05" ? null : challengeWindowSizes[payment.window_size];
  let runner: Runner | null = null;
  let release: (() => void) | null = null;
  let isWaiting = false;
  let isEnded = false;

  if (presentation === "overlay") world.overlay.open();
  const view = showBankView(page, text, size, height, () => void bank.cancel("customer"));
  world.emit("challengestart", { windowSize: payment.window_size, presentation });

  const fetchRunner = () => {
    const opened = world.openRunner(payment.runner, view.window, text.bankFrame);
    opened.on("loaded", view.loaded);
    opened.on("notified", () => {
      view.confirming();
      wait.wake();
    });
    return opened;
  };
  /** Opens the bank's page in this tab if it has the turn. */
  const open = async () => {
    if (release || isWaiting) return;
    isWaiting = true;
    const taken = await world.takeTurn(payment.id, resumed);
    isWaiting = false;
    if (isEnded || bank.canceler()) return taken?.();
    release = taken;
    if (!taken || !world.mayPost(payment.creq)) {
      runner?.close();
      runner = null;
      return view.confirming();
    }
    view.opening();
    runner ??= fetchRunner();
    runner.order(challengeOrder(payment.acs_url, payment.creq, size));
  };
  runner = fetchRunner(); // immediately, because this tab most likely gets the turn
  void open();

  const bank = awaitBank(
    {
      id: payment.id,
      deadline: payment.deadline,
      isShown: (now) => now.status === "authenticating" || (now.status === "challenge" && now.creq === payment.creq),
      polled(now) {
        if (now.status === "authenticating") view.confirming();
        // A hidden tab doesn't take over, because the other tab may just be reloading. Nor does one that has canceled,
        // because the other tab may have closed the bank's page for that reason.
        else if (!page.document.hidden && !bank.canceler()) void open();
      },
      waited: view.waited,
      cancelFailed: view.cancelFailed,
    },
    world,
  );
  const result = bank.result.then((ended) => {
    isEnded = true;
    // Takes the focus from the bank's page, because with that page the iframe would lose it.
    view.confirming();
    // Remove the bank's page before anything else is shown.
    runner?.close();
    release?.();
    view.close();
    world.overlay.close();
    const outcome = ended ? challengeOutcome(ended) : "unavailable";
    // A cancellation on the bank's own page also comes from the customer.
    if (outcome === "canceled") world.emit("cancel", { by: bank.canceler() ?? "customer" });
    world.emit("challengeend", { outcome });
    return ended;
  });
  return { result, cancel: bank.cancel };
}

/** The outcome of the challenge itself. If the payment wasn't declined, the customer passed it. */
function challengeOutcome(payment: FramePayment): ChallengeOutcome {
  return payment.status === "declined" ? (payment.challenge_outcome ?? "unavailable") : "authenticated";
}
