/**
 * Shows the iframe over the whole page, and restores it. The iframe is never moved in the document, because that would
 * reload it.
 *
 * It uses the browser's top layer (`popover`), which no ancestor's `overflow` or `transform` can clip and no `z-index`
 * can cover. Older browsers fall back to `position: fixed`. The `popover` attribute is only set while the iframe covers
 * the page, because it makes an iframe `fixed` even when the popover isn't shown. The rest of the page is `inert` and
 * doesn't scroll. Inside a modal dialog, it already is.
 */
import { levelsOf, rootElement } from "../host-document.ts";

/** @returns a function that restores the page */
export function showOverPage(frame: HTMLIFrameElement): () => void {
  const covered: Element[] = [];
  for (const [node, siblings] of levelsOf(frame)) {
    if (node instanceof HTMLDialogElement) break;
    covered.push(...siblings.filter((sibling) => !sibling.hasAttribute("inert")));
  }
  for (const element of covered) element.setAttribute("inert", "");
  const restore = [setStyle(rootElement(), { overflow: "hidden" }), setStyle(frame, overPage)];
  if (frame.showPopover) {
    frame.setAttribute("popover", "manual");
    frame.showPopover();
  }

  return () => {
    frame.removeAttribute("popover");
    for (const undo of restore) undo();
    for (const element of covered) element.removeAttribute("inert");
  };
}

const overPage = {
  position: "fixed",
  inset: "0",
  width: "100%",
  height: "100%",
  "max-height": "100dvh",
  "max-width": "none",
  margin: "0",
  "box-sizing": "border-box",
  // Zero unless the page extends under the notch.
  padding: "env(safe-area-inset-top) env(safe-area-inset-right) env(safe-area-inset-bottom) env(safe-area-inset-left)",
  background: "Canvas",
  // The highest possible value, for browsers without a top layer.
  "z-index": "2147483647",
};

/** Sets properties through CSSOM, which `style-src` doesn't restrict. @returns a function that restores them */
export function setStyle(element: HTMLElement, properties: Readonly<Record<string, string>>): () => void {
  const before = Object.keys(properties).map((name) => [name, element.style.getPropertyValue(name)] as const);
  for (const [name, value] of Object.entries(properties)) element.style.setProperty(name, value);
  return () => {
    for (const [name, value] of before) element.style.setProperty(name, value);
  };
}
