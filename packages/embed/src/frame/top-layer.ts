/**
 * Shows the iframe over the whole page, and restores it. The iframe is never moved in the document, because that would
 * reload it. Instead, it's slotted into a `<dialog>` in the box's shadow root, where the page's styles don't apply.
 *
 * The open dialog is modal, so it's in the browser's top layer, which no ancestor's `overflow` or `transform` can clip
 * and no `z-index` can cover. The rest of the page is inert, including a modal of the page, and an ancestor's `inert`
 * or `pointer-events` doesn't apply to the iframe. While it's closed, the dialog has no box and no role.
 *
 * An open modal dialog makes the page inert even if it isn't rendered. So while the page hides the box with `display:
 * none`, the dialog is closed.
 */
import { addRule, createElement } from "../page/host-document.ts";

/** @returns a function that shows the iframe over the page, which returns a function that restores the page */
export const createLayer = (box: HTMLElement, frame: HTMLIFrameElement): (() => () => void) => {
  const dialog = createElement("dialog");
  dialog.append(createElement("slot"));
  dialog.role = "none";
  dialog.style.cssText = closed;
  box.attachShadow({ mode: "closed" }).append(dialog);

  const open = () => {
    dialog.close();
    dialog.showModal();
    frame.focus(); // which the dialog would take
  };
  let restore: (() => void)[] = [];
  const isShown = () => restore.length > 0;
  const cover = () => {
    dialog.style.cssText = overPage;
    open(); // first, because it throws if the iframe was removed meanwhile
    // Uses its own rule, because the page's modals set the inline style and later restore the value they found.
    restore = [addRule(":root{overflow:hidden!important}"), setStyle(frame, wholeDialog, "important")];
  };
  const uncover = () => {
    for (const undo of restore) undo();
    restore = [];
    dialog.close();
    dialog.style.cssText = closed;
  };
  // Escape closes it, if the focus is outside the iframe.
  dialog.addEventListener("close", () => {
    if (isShown() && !dialog.open) open();
  });

  return () => {
    cover();
    // A modal that the page opens later would cover the iframe and make it inert, so open ours on top of it. This doesn't
    // see our own dialogs, which are in shadow roots.
    const others = new MutationObserver((changes) => {
      if (!frame.isConnected) return end();
      // Only elements have attributes.
      if (isShown() && changes.some(({ target }) => (target as Element).matches("dialog[open]"))) open();
    });
    others.observe(document, { attributeFilter: ["open"], subtree: true });
    others.observe(box, { childList: true });
    const rendering = new ResizeObserver(() => {
      if (!box.isConnected) return end();
      const isRendered = box.checkVisibility?.() ?? true;
      if (isRendered !== isShown()) (isRendered ? cover : uncover)();
    });
    rendering.observe(box);
    const end = () => {
      others.disconnect();
      rendering.disconnect();
      uncover();
    };
    return end;
  };
};

const closed = "display:contents";
const overPage = "all:initial;position:fixed;inset:0;max-height:100dvh";

const wholeDialog = {
  height: "100%",
  margin: "0",
  "box-sizing": "border-box",
  // Zero unless the page extends under the notch.
  padding: "env(safe-area-inset-top) env(safe-area-inset-right) env(safe-area-inset-bottom) env(safe-area-inset-left)",
  background: "Canvas",
  "pointer-events": "auto",
};

/**
 * Sets properties through CSSOM, which `style-src` doesn't restrict.
 *
 * @param priority `important` takes precedence over `!important` in the page's styles
 * @returns a function that restores them
 */
export const setStyle = (
  { style }: HTMLElement,
  properties: Readonly<Record<string, string>>,
  priority = "",
): (() => void) => {
  const set = (name: string, value: string) => style.setProperty(name, value, priority);
  const before = Object.keys(properties).map((name) => [name, style.getPropertyValue(name)] as const);
  for (const [name, value] of Object.entries(properties)) set(name, value);
  return () => {
    for (const [name, value] of before) set(name, value);
  };
};
