/**
 * Stands between a click on Pay and the payment, in a frame: a page around it may have made the frame invisible, so that the customer clicks on
 * something else. The defence against that is `frame-ancestors`; this is for a page that the session lists and that turned bad.
 *
 * ```
 * click on Pay --> is Pay seen? --yes--------------------------------------> paid
 *                      |no
 *                      +--> asked once more, elsewhere than Pay --yes-------> paid
 *                      |         +--go back--> nothing; not asked again
 *                      +--> no room for the question: the full page, which nobody can hold
 * ```
 * Only clicks of a pointer are judged. A press by keyboard or by assistive technology is made where the customer is, and the host page's
 * `submit()` is let in by the session alone (`press-pay.ts`). Either answer to the question needs a second click in another place, which a
 * customer who sees nothing does not make: so it is asked once, and whoever the browser takes for unseen without reason has one click more.
 */
import { fetchInTime } from "../fetch-in-time.ts";
import type { Page } from "../page.ts";
import type { AskOnceMore } from "./ask-once-more.ts";
import { isSeen } from "./is-seen.ts";

/** `back`: not now. `elsewhere`: the full page was asked for, and this document pays nothing by this press. */
export type Verdict = "pay" | "back" | "elsewhere";

export interface GuardWorld {
  page: Page;
  window: Window;
  /** Whether something else holds Pay `disabled` just now. */
  isHeld(): boolean;
  /** Fetches the question; rejects when it cannot be had. */
  load(): Promise<{ askOnceMore: AskOnceMore }>;
  /** Opens the same session in a page of its own. */
  leave(): void;
}

export interface PressGuard {
  /** Asked while the press is handled: what the last click was is known until then. Pay takes no other press meanwhile, and shows it. */
  judge(): Promise<Verdict>;
}

/** The question is one small file of our own; a customer waits no longer for it. */
const patienceMs = 10_000;

export function createPressGuard({ page, window, isHeld, load, leave }: GuardWorld): PressGuard {
  const { pay } = page;
  let isByPointer = false;
  let wasAsked = false;
  // Enter in a field clicks on Pay as well, and keys and assistive technology do: with a count of 0.
  pay.addEventListener("click", (event) => (isByPointer = event.detail > 0));

  return {
    async judge() {
      const isJudged = isByPointer && !wasAsked && window.parent !== window;
      isByPointer = false;
      if (!isJudged) return "pay";
      // As while the payment is under way, which is what most often follows: `disabled` would lose the focus and flicker.
      pay.setAttribute("aria-disabled", "true");
      const isPaySeen = await isSeen(pay);
      pay.removeAttribute("aria-disabled");
      if (isPaySeen) return "pay";
      pay.disabled = true;
      const question = await fetchInTime(load, patienceMs);
      const answer = question && (await question.askOnceMore(page, window));
      pay.disabled = isHeld();
      if (answer === null) {
        leave();
        return "elsewhere";
      }
      wasAsked = true;
      // The session may have ended under the question; its end is read out by taking the focus.
      (page.main.dataset["view"] === "result" ? page.result : pay).focus({ preventScroll: true });
      return answer;
    },
  };
}
