/**
 * Stands between a press of Pay and the payment, in a frame: a page around it may have made the frame invisible, so
 * that the customer clicks on something else. The defence against that is `frame-ancestors`; this is for a page that
 * the session lists and that turned bad.
 *
 * ```
 * click on Pay --> visible for half a second before, and still? --yes------> paid
 *                      |no
 *                      +--> asked once more, elsewhere than Pay --yes-------> paid
 *                      |         +--go back--> nothing; not asked again
 *                      |         +--Escape---> nothing; asked again
 *                      +--> no room for the question: the full page, which nobody can hold
 *
 * Enter, Space --> was the keyboard put here by the host page? --no--------> paid
 *                      +--yes, and nothing typed or clicked since--> asked once more, as above
 * ```
 * The host page's `submit()` is let in by the session alone (`pay/press-pay.ts`). An answer to the question after a
 * click needs a second click in another place, which a customer who sees nothing does not make: so it is asked once,
 * and whoever the browser takes for unseen without reason has one click more. Escape is no answer: it needs no place.
 */
import type { Page } from "../page/page.ts";
import type { AskOnceMore } from "./ask-once-more.ts";
import { isSeen } from "./is-seen.ts";
import type { Sight } from "./watch-sight.ts";

/** `back`: not now. `elsewhere`: the full page was asked for, and this document pays nothing by this press. */
export type Verdict = "pay" | "back" | "elsewhere";

export interface GuardWorld {
  page: Page;
  window: Window;
  sight: Pick<Sight, "isLong">;
  /** Whether something else holds Pay `disabled` just now. */
  isHeld(): boolean;
  askOnceMore: AskOnceMore;
  /** Opens the same session in a page of its own. */
  leave(): void;
}

export interface PressGuard {
  /**
   * Asked while the press is handled: what the last click was is known until then. Pay takes no other press meanwhile,
   * and shows it.
   */
  judge(): Promise<Verdict>;
  /** Does what the host page asked for, and notices whether that moved the keyboard. */
  forHost<Result>(run: () => Result): Result;
}

export function createPressGuard({ page, window, sight, isHeld, askOnceMore, leave }: GuardWorld): PressGuard {
  const { document, pay } = page;
  let isByPointer = false;
  let wasLong = false;
  let wasAsked = false;
  /** Somebody else put the keyboard here, and the customer has neither typed nor clicked since. */
  let isLent = false;
  // When the press begins: a pointer that is held down has time to see what was uncovered meanwhile, and no way back.
  pay.addEventListener("pointerdown", () => {
    // Words that are not shown yet (page/first-look.ts) leave Pay without its amount.
    wasLong = sight.isLong() && document.documentElement.dataset["words"] === undefined;
  });
  // Enter in a field clicks on Pay as well, and keys and assistive technology do: with a count of 0.
  pay.addEventListener("click", ({ detail }) => (isByPointer = detail > 0));
  // The host page can focus the iframe without asking us. A click of the customer's comes after the focus that it
  // moves.
  window.addEventListener("focus", () => (isLent = true));
  const byCustomer = (event: UIEvent) => {
    if (event.isTrusted && (event.type === "input" || event.detail > 0)) isLent = false;
  };
  document.addEventListener("input", byCustomer as EventListener, true);
  document.addEventListener("click", byCustomer, true);

  return {
    async judge() {
      const isClick = isByPointer;
      isByPointer = false;
      const isJudged = window.parent !== window && (isClick ? !wasAsked : isLent);
      if (!isJudged) return "pay";
      if (isClick && wasLong) {
        // As while the payment is under way, which is what most often follows: `disabled` would lose the focus and
        // flicker.
        pay.setAttribute("aria-disabled", "true");
        const isPaySeen = await isSeen(pay);
        pay.removeAttribute("aria-disabled");
        if (isPaySeen) return "pay";
      }
      pay.disabled = true;
      const answer = await askOnceMore(page, window);
      pay.disabled = isHeld();
      if (answer === null) {
        leave();
        return "elsewhere";
      }
      // The session may have ended under the question; its end is read out by taking the focus.
      (page.main.dataset["view"] === "result" ? page.result : pay).focus({ preventScroll: true });
      if (answer === "escape") return "back";
      wasAsked ||= isClick;
      return answer;
    },
    forHost(run) {
      const before = document.activeElement;
      const result = run();
      if (document.activeElement !== before) isLent = true;
      return result;
    },
  };
}
