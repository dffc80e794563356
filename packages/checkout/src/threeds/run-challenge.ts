/**
 * The challenge: shows the bank's page and asks the service, again and again, how it ended. Messages from the bank's
 * side only make it ask at once.
 *
 * ```
 * opening (form with the `creq` posted) --a page came--> open --knock, or the service awaits the bank's word--> confirming --> the service's word
 *    ^                                                                                                             ^
 *    +---- this tab's turn comes ----- waiting: another tab shows the bank's page -----------------------------------+
 * ```
 * The form is posted once for each challenge, and once more, the same, after a reload. It is posted from one tab:
 * another one that shows the payment waits, offers Cancel, and takes over when the first is gone and the customer looks
 * at it. The service's deadline ends it.
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
import type { TakeTurn } from "./challenge-turn.ts";
import { challengeOrder } from "./runner-frame.ts";
import type { OpenRunner, Runner } from "./runner-frame.ts";

export type ChallengedPayment = Extract<FramePayment, { status: "challenge" }>;

export interface ChallengeWorld extends AwaitBankWorld {
  page: Page;
  /** What there is to say around the bank's page. */
  text: AfterTexts;
  openRunner: OpenRunner;
  overlay: BankOverlay;
  takeTurn: TakeTurn;
  /** Notes that this form is about to be posted, and says whether it may be. */
  mayPost(creq: string): boolean;
  tell<K extends "challengestart" | "challengeend" | "cancel">(name: K, detail: FrameEvents[K]): void;
}

/** @param height in CSS pixels, of a window that has no size of its own */
export function runChallenge(
  payment: ChallengedPayment,
  presentation: "inline" | "overlay",
  height: number,
  world: ChallengeWorld,
): RunningBankStep {
  const { page, text, wait } = world;
  const size = payment.window_size === "05" ? null : challengeWindowSizes[payment.window_size];
  let runner: Runner | null = null;
  let release: (() => void) | null = null;
  let isTaking = false;
  let isOver = false;

  if (presentation === "overlay") world.overlay.open();
  const view = showBankView(page, text, size, height, () => void bank.cancel("customer"));
  world.tell("challengestart", { windowSize: payment.window_size, presentation });

  const fetchRunner = () => {
    const opened = world.openRunner(payment.runner, view.window, text.bankFrame);
    opened.on("loaded", view.loaded);
    opened.on("notified", () => {
      view.confirming();
      wait.wake();
    });
    return opened;
  };
  /** Opens the bank's page in this tab, if it is this tab's turn. */
  const open = async () => {
    if (release || isTaking) return;
    isTaking = true;
    const taken = await world.takeTurn(payment.id);
    isTaking = false;
    if (isOver) return taken?.();
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
  runner = fetchRunner(); // at once, for it is most likely this tab's turn
  void open();

  const bank = awaitBank(
    {
      id: payment.id,
      deadline: payment.deadline,
      isShown: (now) => now.status === "authenticating" || (now.status === "challenge" && now.creq === payment.creq),
      heard(now) {
        if (now.status === "authenticating") view.confirming();
        // A tab that nobody looks at takes nothing over: the other one may just be loading anew.
        else if (!page.document.hidden) void open();
      },
      waited: view.waited,
      cancelFailed: view.cancelFailed,
    },
    world,
  );
  const result = bank.result.then((ended) => {
    isOver = true;
    // The bank's page goes before anything else is shown.
    runner?.close();
    release?.();
    view.close();
    world.overlay.close();
    const outcome = ended ? challengeOutcome(ended) : "unavailable";
    // Given up on the bank's own page, it was the customer too.
    if (outcome === "canceled") world.tell("cancel", { by: bank.canceler() ?? "customer" });
    world.tell("challengeend", { outcome });
    return ended;
  });
  return { result, cancel: bank.cancel };
}

/** How the *challenge* ended. A payment that was not declined has passed it. */
function challengeOutcome(payment: FramePayment): ChallengeOutcome {
  return payment.status === "declined" ? (payment.challenge_outcome ?? "unavailable") : "authenticated";
}
