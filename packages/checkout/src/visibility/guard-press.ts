/**
 * Checks a press of Pay in an iframe before the payment starts. The page around it may have made the iframe invisible
 * to trick the customer into clicking (clickjacking). The main defense is `frame-ancestors`; this one is for a listed
 * page that has been compromised.
 *
 * ```
 * click on Pay --> visible for half a second, and still visible? --yes-----> pay
 *                      |no (a script's click in test mode waits for it, see `watch-visibility.ts`)
 *                      +--> confirmation dialog, away from Pay --yes--------> pay
 *                      |         +--go back--> nothing; a later click isn't checked
 *                      |         +--Escape---> nothing; a later click is checked again
 *                      +--> no space for the dialog: opens the full page, which can't be framed
 *
 * Enter, Space --> did the host page put the focus here? --no--------------> pay
 *                      +--yes, and nothing typed or clicked since--> confirmation dialog, as above
 * ```
 * The host page's `submit()` is only subject to the session's settings (`pay/press-pay.ts`). Answering the dialog takes
 * a second click in another place, which a customer who sees nothing won't make. So the dialog appears only once, and a
 * false alarm costs one extra click. Escape doesn't count as an answer, because it needs no click.
 */
import type { Page } from "../page/page.ts";
import type { ConfirmPayment } from "./confirm-payment.ts";
import { isElementVisible } from "./is-visible.ts";
import type { Sight } from "./watch-visibility.ts";

/** `back`: the customer chose not to pay. `elsewhere`: the full page was opened, so this document doesn't pay. */
export type Verdict = "pay" | "back" | "elsewhere";

export interface GuardWorld {
  page: Page;
  window: Window;
  sight: Pick<Sight, "press">;
  /** Whether something else keeps Pay disabled at the moment. */
  isDisabled(): boolean;
  confirmPayment: ConfirmPayment;
  /** Opens the same session as a full page. */
  leave(): void;
}

export interface PressGuard {
  /**
   * Call this while the press is being handled, because only then the type of the last click is known. Pay accepts no
   * other press meanwhile, and shows that.
   */
  judge(): Promise<Verdict>;
  /** Runs what the host page requested, and records whether that moved the focus. */
  forHost<Result>(run: () => Result): Result;
}

export function createPressGuard({ page, window, sight, isDisabled, confirmPayment, leave }: GuardWorld): PressGuard {
  const { document, pay } = page;
  let isByPointer = false;
  let wasSeen: (() => Promise<boolean>) | null = null;
  let wasAsked = false;
  /** The host page may have moved the focus here, and the customer has neither typed nor clicked since. */
  let isFocusForeign = false;
  // Checked at the start of the press. Once the pointer is down, the customer may see Pay being uncovered, but can no
  // longer back out.
  pay.addEventListener("pointerdown", () => {
    // While the texts are still hidden (page/initial-settings.ts), Pay shows no amount.
    wasSeen = document.documentElement.dataset["words"] === undefined ? sight.press() : null;
  });
  // Enter in a field also clicks Pay, and so do keys and assistive technology: those clicks have a `detail` of 0.
  pay.addEventListener("click", ({ detail }) => (isByPointer = detail > 0));
  // The host page can focus the iframe without going through us. If the customer clicks, the click comes after the
  // focus event it causes.
  window.addEventListener("focus", () => (isFocusForeign = true));
  const byCustomer = (event: UIEvent) => {
    if (event.isTrusted && (event.type === "input" || event.detail > 0)) isFocusForeign = false;
  };
  document.addEventListener("input", byCustomer as EventListener, true);
  document.addEventListener("click", byCustomer, true);

  return {
    async judge() {
      const isClick = isByPointer;
      isByPointer = false;
      const needsCheck = window.parent !== window && (isClick ? !wasAsked : isFocusForeign);
      if (!needsCheck) return "pay";
      if (isClick && wasSeen) {
        // Looks the same as a payment in progress, which most often follows. `disabled` would lose the focus and
        // flicker.
        pay.setAttribute("aria-disabled", "true");
        const isPaySeen = (await wasSeen()) && (await isElementVisible(pay));
        pay.removeAttribute("aria-disabled");
        if (isPaySeen) return "pay";
      }
      pay.disabled = true;
      const answer = await confirmPayment(page, window);
      pay.disabled = isDisabled();
      if (answer === null) {
        leave();
        return "elsewhere";
      }
      // The session may have ended while the dialog was open. The result takes the focus, so screen readers read it
      // out.
      (page.main.dataset["view"] === "result" ? page.result : pay).focus({ preventScroll: true });
      if (answer === "escape") return "back";
      wasAsked ||= isClick;
      return answer;
    },
    forHost(run) {
      const before = document.activeElement;
      const result = run();
      if (document.activeElement !== before) isFocusForeign = true;
      return result;
    },
  };
}
