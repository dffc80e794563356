/**
 * The frame around the bank's page: whose payment it is stands above it, a way out beside it, and words for when it is slow.
 * The bank's page itself is a stranger's, two frames further in; this file never looks into it.
 */
import type { Page } from "../page.ts";
import english from "../texts/en-bank.ts";
import { isGrown } from "./bank-overlay.ts";

export interface BankView {
  /** Where the runner goes. */
  window: HTMLElement;
  /** The bank's page is there: uncover it. */
  loaded(): void;
  /** The bank is done with the customer; its answer to the service is awaited. */
  confirming(): void;
  /** The service could not be told to cancel: the button works again. */
  cancelFailed(): void;
  close(): void;
}

const slowAfterMs = 10_000;
const troubleAfterMs = 25_000;

/**
 * The keyboard goes to the heading, and back to where it was when the view is closed.
 *
 * @param size in CSS pixels; null fills the width, `height` high
 */
export function showBankView(
  page: Page,
  size: readonly [width: number, height: number] | null,
  height: number,
  cancel: () => void,
): BankView {
  const { document } = page;
  const text = { ...english, ...page.words.texts };
  const make = <K extends keyof HTMLElementTagNameMap>(tag: K, className: string, content = ""): HTMLElementTagNameMap[K] => {
    const element = document.createElement(tag);
    element.className = className;
    element.textContent = content;
    return element;
  };
  const button = (label: string, className: string, press: () => void) => {
    const element = make("button", className, label);
    element.type = "button";
    element.addEventListener("click", press);
    return element;
  };

  const heading = make("h2", "", text.bankTitle);
  heading.id = "bank-title";
  heading.tabIndex = -1;
  const choice = make("div", "choice");
  const head = make("div", "bank-head");
  head.append(heading, choice);

  const frame = make("div", "window");
  if (size) frame.style.width = `${size[0]}px`;
  else frame.classList.add("whole");
  frame.style.height = `${size ? size[1] : height}px`;
  const wait = make("p", "wait", text.bankOpening);
  frame.append(wait);
  const note = make("p", "bank-note");
  note.setAttribute("aria-live", "polite");

  const askFirst = () => {
    heading.textContent = text.cancelQuestion;
    const stay = button(text.cancelNo, "plain", carryOn);
    choice.replaceChildren(
      stay,
      button(text.cancelYes, "plain bad", () => giveUp()),
    );
    stay.focus();
  };
  const offer = () => {
    heading.textContent = text.bankTitle;
    const element = button(text.cancel, "plain", askFirst);
    choice.replaceChildren(element);
    return element;
  };
  const carryOn = () => offer().focus();
  const giveUp = () => {
    const element = button(text.canceling, "plain", () => {});
    element.disabled = true;
    heading.textContent = text.bankTitle;
    choice.replaceChildren(element);
    cancel();
  };
  head.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && choice.childElementCount > 1) carryOn();
  });

  const hadFocus = document.activeElement;
  offer();
  page.bank.setAttribute("aria-labelledby", heading.id);
  page.bank.replaceChildren(head, frame, note);
  page.live.textContent = text.bankOpened;
  page.show("bank");
  // As wide as the page: no corners to round.
  if (!size || (!isGrown(document) && size[0] >= page.main.clientWidth)) frame.classList.add("edge");
  heading.focus();

  let isLoaded = false;
  const slow = setTimeout(() => {
    if (!isLoaded) note.textContent = text.bankSlow;
  }, slowAfterMs);
  const trouble = setTimeout(() => {
    note.textContent = text.bankTrouble;
  }, troubleAfterMs);

  return {
    window: frame,
    loaded() {
      isLoaded = true;
      wait.hidden = true;
      note.textContent = "";
    },
    confirming() {
      wait.textContent = text.bankConfirming;
      wait.hidden = false;
    },
    cancelFailed() {
      offer();
    },
    close() {
      clearTimeout(slow);
      clearTimeout(trouble);
      page.bank.replaceChildren();
      page.bank.removeAttribute("aria-labelledby");
      page.show("form");
      if (hadFocus instanceof HTMLElement && page.form.contains(hadFocus)) hadFocus.focus({ preventScroll: true });
    },
  };
}
