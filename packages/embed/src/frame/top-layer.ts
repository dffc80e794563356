/**
 * Shows the frame over the whole page, and puts it back. The frame is never moved in the document, for that would
 * reload it.
 *
 * The browser's top layer does it (`popover`), which no ancestor's `overflow` or `transform` can clip and no `z-index`
 * can cover; where there is none, `position: fixed` has to do. The attribute is set for that time only: it makes a
 * frame `fixed` even while it is not shown. Meanwhile the rest of the page is `inert` and does not scroll. Inside a
 * modal dialog it is that already.
 */
import { levelsOf, rootElement } from "../host-document.ts";

/** @returns puts everything back as it was. */
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
  // A page that draws under the notch has these; others have zeros.
  padding: "env(safe-area-inset-top) env(safe-area-inset-right) env(safe-area-inset-bottom) env(safe-area-inset-left)",
  background: "Canvas",
  // Above what a page without a top layer may have.
  "z-index": "2147483647",
};

/** Sets properties through CSSOM, which no `style-src` forbids. @returns sets them to what they were. */
export function setStyle(element: HTMLElement, properties: Readonly<Record<string, string>>): () => void {
  const before = Object.keys(properties).map((name) => [name, element.style.getPropertyValue(name)] as const);
  for (const [name, value] of Object.entries(properties)) element.style.setProperty(name, value);
  return () => {
    for (const [name, value] of before) element.style.setProperty(name, value);
  };
}
