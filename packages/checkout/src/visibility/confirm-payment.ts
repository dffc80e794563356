/**
 * Asks for confirmation before paying, above or below Pay and never over it, so that a second click in the same place
 * can't confirm. Used if the browser can't tell whether Pay was visible, or the host page put the focus here
 * (`guard-press.ts`).
 *
 * It shows the same amount as the page, which comes from the service. The confirm button is enabled once it has been
 * visible for half a second, so that a double-click on an iframe that moves can't confirm. If it never becomes visible,
 * it's enabled all the same, so that an honest page doesn't trap the customer, but then it leads to the full page. The
 * dialog is on top of everything and makes the rest inert, so nothing on the page moves.
 *
 * It closes as soon as there may be something else to confirm, or nothing: when the page below shows something new
 * (another total, a payment in progress, a result, the bank's page), and when the customer leaves the page, which wipes the
 * card.
 */
import type { Page } from "../page/page.ts";
import { writeFilled } from "../texts/fill.ts";
import type { Sight } from "./watch-visibility.ts";

/**
 * Resolves with the customer's choice, with `back` if there is nothing left to confirm, or with null if there is no
 * room for the dialog in the window or nobody could see what was chosen. Leaves `sight` watching the confirm button.
 */
export type ConfirmPayment = (
  page: Page,
  window: Window,
  sight: Pick<Sight, "watch" | "wasSeen" | "untilSeen">,
) => Promise<"pay" | "back" | null>;

/** Distance from the dialog to Pay and to the window's edge. */
const gap = 8;

export const confirmPayment: ConfirmPayment = (page, window, sight) => {
  const { document, words, total } = page;
  const dialog = document.createElement("dialog");
  dialog.className = "once-more";
  dialog.tabIndex = -1;
  const title = add(dialog, "h2", "once-more-title");
  const text = add(dialog, "p", "once-more-text");
  dialog.setAttribute("aria-labelledby", title.id);
  dialog.setAttribute("aria-describedby", text.id);
  const actions = add(dialog, "div", "once-more-actions");
  const back = button(actions, "once-more-back");
  const yes = button(actions, "once-more-pay");
  const isSaving = !total;
  words.write("once more", ({ after }) => {
    const occasion = isSaving ? "saving" : "paying";
    title.textContent = after.confirmTitle[occasion];
    text.textContent = after.confirmText[occasion];
    back.textContent = after.confirmBack;
    writeFilled(yes, isSaving ? after.confirmSave : after.confirmPay, { amount: page.amount.textContent });
  });

  page.main.append(dialog);
  dialog.showModal();
  const remove = () => {
    words.write("once more", null);
    dialog.close();
    dialog.remove();
  };
  const top = placeDialog(page.pay.getBoundingClientRect(), dialog.offsetHeight, window.innerHeight);
  if (top === null) {
    remove();
    return Promise.resolve(null);
  }
  dialog.style.top = `${top}px`;
  dialog.focus({ preventScroll: true });

  yes.disabled = true;
  sight.watch(yes);
  void sight.untilSeen().then(() => (yes.disabled = false));
  return new Promise((resolve) => {
    const answer = (chosen: "pay" | "back" | null) => {
      if (!dialog.isConnected) return; // answered before
      changes.disconnect();
      window.removeEventListener("pagehide", close);
      remove();
      resolve(chosen);
    };
    const close = () => answer("back");
    const changes = new MutationObserver(() => {
      const isSame = page.main.dataset["view"] === "form" && page.total === total;
      if (!isSame || page.pay.hasAttribute("aria-disabled")) close();
    });
    // The screen sets it for everything that it shows, even if the view stays the same.
    changes.observe(page.main, { attributeFilter: ["data-view"] });
    window.addEventListener("pagehide", close);
    yes.addEventListener("click", async ({ detail }) => answer((await sight.wasSeen(detail > 0)) ? "pay" : null));
    back.addEventListener("click", close);
    dialog.addEventListener("cancel", close);
  });
};

/**
 * The dialog's top position, so that it doesn't overlap Pay: above Pay if it fits there, otherwise below; null if it
 * fits in neither place.
 */
export function placeDialog(pay: { top: number; bottom: number }, height: number, windowHeight: number): number | null {
  const needed = height + 2 * gap;
  if (pay.top >= needed && pay.top <= windowHeight) return pay.top - gap - height;
  if (pay.bottom >= 0 && windowHeight - pay.bottom >= needed) return pay.bottom + gap;
  return null;
}

function add<K extends keyof HTMLElementTagNameMap>(parent: Element, tag: K, id: string): HTMLElementTagNameMap[K] {
  const element = parent.ownerDocument.createElement(tag);
  element.id = id;
  parent.append(element);
  return element;
}

function button(parent: Element, id: string): HTMLButtonElement {
  const element = add(parent, "button", id);
  element.type = "button";
  element.dataset["testid"] = `oriel-${id}`;
  return element;
}
