/**
 * Our own part of the bank view: a heading that takes the focus, and a Cancel button with a confirmation. The caller
 * supplies what is below.
 *
 * ```
 * Cancel --press or Escape--> "Cancel?" Keep going | Yes, cancel --yes--> "Canceling…" --service unreachable--> Cancel
 *    ^                             |
 *    +----- keep going or Escape --+
 * ```
 */
import type { Page } from "../page/page.ts";
import type { AfterTexts } from "../texts/texts.ts";
import { isGrown } from "./bank-overlay.ts";

export interface BankPanel {
  heading: HTMLElement;
  /** Makes the button work again after the service couldn't be reached. */
  cancelFailed(): void;
  /** Removes the panel, and returns the focus to where it was in the form if it is still in the iframe. */
  close(): void;
}

/**
 * In an iframe over the whole page, the panel is a dialog; otherwise it's a region of the page. Screen readers read the
 * heading because it takes the focus. `opened` is announced too, so it must be a different sentence.
 *
 * @param children elements to show below the heading, in this order
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
  const isConfirming = () => choice.childElementCount > 1;
  const offer = () => {
    heading.textContent = title;
    const element = button(text.cancel, "plain", confirmCancel);
    choice.replaceChildren(element);
    return element;
  };
  const confirmCancel = () => {
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
    heading.focus(); // a disabled button can't have the focus
    cancel();
  };
  /** Only from our own part: keys pressed in the bank's page belong to the bank. */
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    if (isConfirming()) carryOn();
    else choice.querySelector("button")?.click(); // a disabled button does nothing
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
  page.moveFocus(heading, opened);

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
      page.moveFocus(before, "");
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
