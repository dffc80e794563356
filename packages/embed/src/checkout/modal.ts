/**
 * A dialog that holds a checkout: the browser's own `<dialog>`, so that the page behind is inert and Escape closes it.
 *
 * It is made in the element that the merchant named, one per element, and goes with its last checkout. While a payment
 * is under way it cannot be closed: what closes would not stop the bank.
 */
import { createElement } from "../host-document.ts";
import { setStyle } from "../frame/top-layer.ts";
import { rescueWords } from "../rescue-words.ts";

export interface Modal {
  /** Where the frame goes. */
  container: HTMLElement;
  /** @param closing the customer wants it closed */
  open(closing: () => void): void;
  /** Takes the dialog away, if it holds nothing any more. */
  tidy(): void;
}

const modals = /* @__PURE__ */ new WeakMap<Element, Modal>();

/** @param locale as the option of that name */
export function modalIn(target: Element, locale: string | undefined): Modal {
  const found = modals.get(target);
  if (found) return found;

  const dialog = createElement("dialog");
  const close = createElement("button");
  const container = createElement("div");
  let ask = (): void => {};
  const tryToClose = (event: Event) => {
    event.preventDefault();
    ask();
  };
  close.type = "button";
  close.textContent = "×";
  const { language, close: label } = rescueWords(locale);
  close.lang = language;
  close.ariaLabel = label;
  close.addEventListener("click", tryToClose);
  dialog.addEventListener("cancel", tryToClose);
  dialog.append(close, container);
  setStyle(dialog, { width: "min(32rem, 100%)", "box-sizing": "border-box", border: "0", padding: "8px" });
  setStyle(close, { float: "right", border: "0", background: "none", font: "24px system-ui" });

  const modal: Modal = {
    container,
    open(closing) {
      ask = closing;
      if (!dialog.isConnected) target.append(dialog);
      if (!dialog.open) dialog.showModal();
    },
    tidy() {
      if (container.childElementCount > 0) return;
      dialog.close();
      dialog.remove();
      modals.delete(target);
    },
  };
  modals.set(target, modal);
  return modal;
}
