/**
 * The frame's own part of a time that the customer spends with the bank: a heading that takes the keyboard, and a way
 * out that asks first. What stands below it is its caller's.
 *
 * ```
 * Cancel --press, or Escape--> "Cancel?" Keep going | Yes, cancel --yes--> "Canceling..." (pressed once) --the service could not be told--> Cancel
 *    ^                              |
 *    +----- keep going, or Escape --+
 * ```
 */
import type { Page } from "../page/page.ts";
import type { AfterTexts } from "../texts/texts.ts";
import { isGrown } from "./bank-overlay.ts";

export interface BankPanel {
  heading: HTMLElement;
  /** The service could not be told to cancel: the button works again. */
  cancelFailed(): void;
  /** Takes all of it away; the keyboard goes back to where it was in the form. */
  close(): void;
}

/**
 * A frame that stands over the whole page is a dialog; one in its place is a part of the page. The heading is read
 * because the keyboard goes there, so `opened`, which is said beside it, must be another sentence.
 *
 * @param children below the heading, in this order
 */
export function openBankPanel(
  page: Page,
  text: AfterTexts,
  title: string,
  opened: string,
  children: readonly HTMLElement[],
  cancel: () => void,
): BankPanel {
  const { document, bank } = page;
  const hadFocus = document.activeElement;

  const heading = make(document, "h2", "", title);
  heading.id = "bank-title";
  heading.tabIndex = -1;
  const choice = make(document, "div", "choice");
  const head = make(document, "div", "bank-head");
  head.append(heading, choice);

  const button = (label: string, className: string, press: () => void) => {
    const element = make(document, "button", className, label);
    element.type = "button";
    element.addEventListener("click", press);
    return element;
  };
  const isAsking = () => choice.childElementCount > 1;
  const offer = () => {
    heading.textContent = title;
    const element = button(text.cancel, "plain", askFirst);
    choice.replaceChildren(element);
    return element;
  };
  const askFirst = () => {
    heading.textContent = text.cancelQuestion;
    const stay = button(text.cancelNo, "plain", carryOn);
    choice.replaceChildren(stay, button(text.cancelYes, "plain bad", giveUp));
    stay.focus();
  };
  const carryOn = () => offer().focus();
  const giveUp = () => {
    const element = button(text.canceling, "plain", () => {});
    element.disabled = true;
    heading.textContent = title;
    choice.replaceChildren(element);
    heading.focus(); // a disabled button cannot keep the keyboard
    cancel();
  };
  /** From our own part only: what is pressed in the bank's page is the bank's. */
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    if (isAsking()) carryOn();
    else choice.querySelector("button")?.click(); // a disabled one does nothing
  };

  offer();
  bank.replaceChildren(head, ...children);
  bank.setAttribute("aria-labelledby", heading.id);
  if (isGrown(document)) {
    bank.setAttribute("role", "dialog");
    bank.setAttribute("aria-modal", "true");
    bank.setAttribute("aria-describedby", `${page.merchant.id} ${page.amount.id}`);
  }
  bank.addEventListener("keydown", onKey);
  page.live.textContent = opened;
  page.show("bank");
  heading.focus();

  return {
    heading,
    cancelFailed: () => void offer(),
    close() {
      bank.removeEventListener("keydown", onKey);
      bank.replaceChildren();
      for (const name of ["aria-labelledby", "role", "aria-modal", "aria-describedby"]) bank.removeAttribute(name);
      page.live.textContent = "";
      page.show("form");
      const before = hadFocus instanceof HTMLElement && page.form.contains(hadFocus) ? hadFocus : page.pay;
      before.focus({ preventScroll: true });
    },
  };
}

export function make<K extends keyof HTMLElementTagNameMap>(
  document: Document,
  tag: K,
  className: string,
  content = "",
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = content;
  return element;
}
