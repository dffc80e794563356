/**
 * The area around the bank's page, with messages for when it is loading, slow or done. The bank's page is third-party
 * content two iframes further in; this file never reads it.
 *
 * ```
 * opening --loaded--> open --confirming--> confirming      (a later load is our own landing page and reveals nothing)
 * ```
 */
import type { Page } from "../page/page.ts";
import type { AfterTexts } from "../texts/texts.ts";
import { isGrown } from "./bank-overlay.ts";
import { make, openBankPanel } from "./bank-panel.ts";

export interface BankView {
  /** The element that contains the runner. */
  window: HTMLElement;
  /** The bank's page has loaded: show it. */
  loaded(): void;
  /**
   * The bank has finished with the customer, or the customer is with the bank in another tab. The outcome is awaited
   * from the service.
   */
  confirming(): void;
  /** The bank's page opens here after all. May be called after `confirming`. */
  opening(): void;
  /**
   * Reports how long ago the bank's page was requested. Call it repeatedly, because a timer would stop in a hidden tab.
   */
  waited(ms: number): void;
  cancelFailed(): void;
  close(): void;
}

const slowAfterMs = 10_000;
const troubleAfterMs = 25_000;

/** @param size in CSS pixels; null fills the width and uses `height` */
export function showBankView(
  page: Page,
  text: AfterTexts,
  size: readonly [width: number, height: number] | null,
  height: number,
  cancel: () => void,
): BankView {
  const { document } = page;
  const window = make(document, "div", "window");
  if (size) window.style.width = `${size[0]}px`;
  else window.classList.add("whole");
  window.style.height = `${size ? size[1] : height}px`;
  const wait = make(document, "p", "wait", text.bankOpening);
  window.append(wait);
  const note = make(document, "p", "bank-note");
  note.setAttribute("aria-live", "polite");
  const panel = openBankPanel(page, text, text.bankTitle, text.bankOpened, [window, note], cancel);
  // It's as wide as the page, so it needs no rounded corners.
  if (!size || (!isGrown(document) && size[0] >= page.main.clientWidth)) window.classList.add("edge");

  let state: "opening" | "open" | "confirming" = "opening";
  return {
    window,
    loaded() {
      if (state !== "opening") return;
      state = "open";
      wait.hidden = true;
    },
    confirming() {
      if (state === "confirming") return;
      state = "confirming";
      wait.textContent = text.bankConfirming;
      wait.hidden = false;
      page.live.textContent = text.bankConfirming;
      // The bank's page is finished, so it must not keep the focus.
      if (window.contains(document.activeElement)) page.moveFocus(panel.heading, text.bankConfirming);
      window.classList.add("over");
    },
    opening() {
      if (state === "confirming") page.live.textContent = text.bankOpening;
      state = "opening";
      wait.textContent = text.bankOpening;
      window.classList.remove("over");
    },
    waited(ms) {
      const isSlow = state === "opening" && ms >= slowAfterMs;
      const sentence = ms >= troubleAfterMs ? text.bankTrouble : isSlow ? text.bankSlow : "";
      // Written only when it changes, or it would be read out each time.
      if (note.textContent !== sentence) note.textContent = sentence;
    },
    cancelFailed: panel.cancelFailed,
    close: panel.close,
  };
}
