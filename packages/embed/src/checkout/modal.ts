/**
 * A dialog that contains a checkout. It's a native `<dialog>`, so the page behind it is inert and Escape closes it.
 *
 * There is one dialog per target element, which is removed when the last checkout has left it. While a payment may still
 * succeed, the dialog stays open, because closing it wouldn't stop the payment. Browsers close a dialog that refuses to
 * close several times, without asking again, so it's then opened again.
 */
import { setStyle } from "../frame/top-layer.ts";
import { createElement, removeNode, rootElement } from "../page/host-document.ts";
import { loaderTexts } from "../page/loader-texts.ts";

export interface Modal {
  /** Contains the iframe. */
  dialogContainer: HTMLElement;
  /**
   * Opens it, unless it's open.
   *
   * @param title its name for screen readers
   * @param closing is called when the customer tries to close it, and returns whether it may close
   */
  open(title: string, closing: () => boolean): void;
  setTitle(title: string): void;
  /**
   * Removes the dialog a moment later, unless another checkout uses it, or this one has opened it again.
   *
   * @param closing the function that was passed to `open`
   */
  leave(closing: () => boolean): void;
}

const modals = /* @__PURE__ */ new WeakMap<Element, Modal>();

/** @param locale the `locale` option */
export const modalIn = (target: Element, locale: string | undefined): Modal => {
  const found = modals.get(target);
  if (found) return found;

  const dialog = createElement("dialog");
  const close = createElement("button");
  const container = createElement("div");
  /** The `closing` functions of the checkouts in the dialog. The last one decides. */
  const users = new Set<() => boolean>();
  const requestClose = () => [...users].at(-1)?.();
  const onClose = (event: Event) => {
    event.preventDefault();
    requestClose();
  };
  close.type = "button";
  close.textContent = "×";
  const { language, close: label } = loaderTexts(locale);
  close.lang = language;
  close.ariaLabel = label;
  close.addEventListener("click", onClose);
  dialog.addEventListener("cancel", onClose);
  dialog.addEventListener("close", () => {
    if (requestClose() === false) dialog.showModal();
  });
  dialog.append(close, container);
  setStyle(dialog, {
    width: "min(32rem, 100%)",
    "box-sizing": "border-box",
    border: "0",
    padding: "8px",
    "pointer-events": "auto", // a modal of the page may have set it to `none` for everything else
  });
  setStyle(close, { float: "right", border: "0", background: "none", font: "24px system-ui" });

  const modal: Modal = {
    dialogContainer: container,
    open(title, closing) {
      users.delete(closing);
      users.add(closing);
      modal.setTitle(title);
      // In a hidden target, an invisible dialog would make the page inert.
      const isVisible = target.checkVisibility?.({ visibilityProperty: true }) ?? true;
      if (!dialog.isConnected) (isVisible ? target : rootElement()).append(dialog);
      if (dialog.matches(":modal")) return;
      dialog.open = false; // after the page removed or moved it, it's open without being modal
      dialog.showModal();
    },
    setTitle(title) {
      dialog.ariaLabel = title;
    },
    leave(closing) {
      users.delete(closing);
      // After the iframe, which is removed one task later.
      const removeIfEmpty = () => {
        if (users.size > 0 || container.childElementCount > 0) return;
        dialog.close();
        removeNode(dialog);
        modals.delete(target);
      };
      setTimeout(() => setTimeout(removeIfEmpty, 0), 0);
    },
  };
  modals.set(target, modal);
  return modal;
};
