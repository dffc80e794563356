/**
 * A dialog that contains a checkout. It's a native `<dialog>`, so the page behind it is inert and Escape closes it.
 *
 * There is one dialog per target element, which is removed along with its last checkout. It can't be closed during a
 * payment, because that wouldn't stop the payment.
 */
import { createElement } from "../host-document.ts";
import { setStyle } from "../frame/top-layer.ts";
import { loaderTexts } from "../loader-texts.ts";

export interface Modal {
  /** Contains the iframe. */
  container: HTMLElement;
  /** @param closing is called when the customer tries to close it */
  open(closing: () => void): void;
  /** Removes the dialog if it's empty. */
  tidy(): void;
}

const modals = /* @__PURE__ */ new WeakMap<Element, Modal>();

/** @param locale the `locale` option */
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
  const { language, close: label } = loaderTexts(locale);
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
