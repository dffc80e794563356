/**
 * The frame around the bank's page: words for when it is not there yet, slow, or done. The bank's page itself is a
 * stranger's, two frames further in; this file never looks into it.
 *
 * ```
 * opening --loaded--> open --confirming--> confirming      (a load after that is our own landing page's and uncovers nothing)
 * ```
 */
import type { Page } from "../page/page.ts";
import type { AfterTexts } from "../texts/texts.ts";
import { isGrown } from "./bank-overlay.ts";
import { make, openBankPanel } from "./bank-panel.ts";

export interface BankView {
  /** Where the runner goes. */
  window: HTMLElement;
  /** The bank's page is there: uncover it. */
  loaded(): void;
  /**
   * The bank is done with the customer, or is with the customer in another tab; its answer to the service is awaited.
   */
  confirming(): void;
  /** Confirming was not the end: the bank's page is going to be opened here. */
  opening(): void;
  /**
   * So much time has passed since the bank's page was asked for. To be told again and again: a timer would sleep with
   * the tab.
   */
  waited(ms: number): void;
  cancelFailed(): void;
  close(): void;
}

const slowAfterMs = 10_000;
const troubleAfterMs = 25_000;

/**
 * @param size in CSS pixels; null fills the width, `height` high
 */
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
  // As wide as the page: no corners to round.
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
      // What is under it is over, and the keyboard has nothing to do there.
      if (window.contains(document.activeElement)) panel.heading.focus();
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
      // Written once, or it would be read out each time.
      if (note.textContent !== sentence) note.textContent = sentence;
    },
    cancelFailed: panel.cancelFailed,
    close: panel.close,
  };
}
