/**
 * Checks a press of Pay in an iframe before the payment starts. The page around it may have made the iframe invisible
 * to trick the customer into pressing (clickjacking). The main defense is `frame-ancestors`; this one is for a listed
 * page that has been compromised.
 *
 * ```
 * press of Pay --> visible for half a second, and still visible? --yes-----> pay
 *                      |no (see `watch-visibility.ts`)
 *                      +--> confirmation dialog, away from Pay --yes-------> was its button visible? --yes--> pay
 *                      |         |                                              |no
 *                      |         |                                              +--> opens the full page
 *                      |         +--go back, Escape--> nothing
 *                      +--> no space for the dialog: opens the full page, which can't be framed
 *
 * Enter, Space --> did the host page put the focus here? --no--------------> as above
 *                      +--yes, and no card field changed and nothing clicked since--> confirmation dialog, as above
 * ```
 * The host page's `submit()` is only subject to the session's settings (`pay/press-pay.ts`). No answer ends the checks: a
 * page can show the dialog to a customer who goes back, and hide the form afterward.
 */
import type { Page } from "../page/page.ts";
import type { ConfirmPayment } from "./confirm-payment.ts";
import type { Sight } from "./watch-visibility.ts";

/** `back`: the customer chose not to pay. `elsewhere`: the full page was opened, so this document doesn't pay. */
export type Verdict = "pay" | "back" | "elsewhere";

export interface GuardWorld {
  page: Page;
  window: Window;
  sight: Pick<Sight, "watch" | "wasSeen" | "untilSeen">;
  /** Whether something else keeps Pay disabled at the moment. */
  isDisabled(): boolean;
  /** Whether a payment or a look-up is in progress. */
  isBusy(): boolean;
  confirmPayment: ConfirmPayment;
  /** Opens the same session as a full page. */
  leave(): void;
  /** Called when a press is no longer held. */
  released(): void;
}

export interface PressGuard {
  /**
   * Call this while the press is being handled, because only then the type of the last click is known. Pay accepts no
   * other press meanwhile, and shows that.
   */
  judge(): Promise<Verdict>;
  /** Whether a press is held. The host page must not learn that, or it could show the form just for the press. */
  isHolding(): boolean;
  /** Runs what the host page requested, and records whether that moved the focus. */
  forHost<Result>(run: () => Result): Result;
}

export function createPressGuard(world: GuardWorld): PressGuard {
  const { page, window, sight, isDisabled, isBusy, confirmPayment, leave } = world;
  const { document, form, number, expiry, cvc, pay } = page;
  let isByPointer = false;
  let isHolding = false;
  /**
   * How long the card fields' contents were when the host page may have moved the focus here. Null once the customer
   * has changed one of them or clicked. A character that is discarded, pushes another one out of a full field, or ends
   * up in a billing field may have been meant for the host page. The lengths reveal that without a copy of the card.
   */
  let lengthsAtFocus: string | null = null;
  const lengths = () => [number, expiry, cvc].map(({ value }) => value.length).join();
  const noticeFocus = () => (lengthsAtFocus = lengths());
  // Enter in a field also clicks Pay, and so do keys and assistive technology: those clicks have a `detail` of 0.
  pay.addEventListener("click", ({ detail }) => (isByPointer = detail > 0));
  // The host page can focus the iframe without going through us. If the customer clicks, the click comes after the
  // focus event it causes.
  window.addEventListener("focus", noticeFocus);
  document.addEventListener(
    "click",
    ({ isTrusted, detail }) => {
      if (isTrusted && detail > 0) lengthsAtFocus = null;
    },
    true,
  );
  // Bubbling, so that the field is already formatted, which it isn't during a composition.
  for (const type of ["input", "compositionend"] as const) {
    form.addEventListener(type, (event) => {
      const isComposing = "isComposing" in event && event.isComposing;
      if (!isComposing && lengths() !== lengthsAtFocus) lengthsAtFocus = null;
    });
  }

  const hold = async (isClick: boolean): Promise<boolean> => {
    // Looks the same as a payment in progress, which most often follows. `disabled` would lose the focus and flicker.
    pay.setAttribute("aria-disabled", "true");
    isHolding = true;
    const isPaySeen = await sight.wasSeen(isClick);
    isHolding = false;
    if (!isBusy()) pay.removeAttribute("aria-disabled");
    world.released();
    return isPaySeen;
  };
  /** Screen readers read out what takes the focus. What appeared below the dialog couldn't take it before. */
  const focusNext = (noticeBefore: string) => {
    const { view } = page.main.dataset;
    const isNoticeNew = !page.notice.hidden && page.notice.textContent !== noticeBefore;
    const inForm = isNoticeNew ? page.notice : pay;
    page.moveFocus(
      view === "result" ? page.result : view === "bank" ? page.find("bank-title") : inForm,
      page.live.textContent,
    );
  };

  return {
    async judge() {
      const isClick = isByPointer;
      isByPointer = false;
      if (window.parent === window) return "pay";
      if (isClick || lengthsAtFocus === null) {
        const hadFocus = document.hasFocus();
        if (await hold(isClick)) return "pay";
        // Meanwhile, a refresh may have found that there is nothing left to confirm.
        if (isBusy() || page.main.dataset["view"] !== "form") return "back";
        // Meanwhile, the customer has gone to the page around the iframe, where a dialog must not take the focus. In a
        // hidden tab, it waits for the customer.
        if (hadFocus && !document.hasFocus() && !document.hidden) {
          page.live.textContent = page.words.texts.outcomes[page.amount.hidden ? "saving" : "paying"];
          return "back";
        }
      }
      pay.disabled = true;
      const noticeBefore = page.notice.hidden ? "" : page.notice.textContent;
      const answer = await confirmPayment(page, window, sight);
      sight.watch(pay);
      pay.disabled = isDisabled();
      if (answer === null) {
        leave();
        return "elsewhere";
      }
      focusNext(noticeBefore);
      return answer;
    },
    isHolding: () => isHolding,
    forHost(run) {
      const before = document.activeElement;
      const result = run();
      if (document.activeElement !== before) noticeFocus();
      return result;
    },
  };
}
