/**
 * What is in the merchant's container: a box with the iframe in it, the skeleton behind or before it, and the link to
 * the full page when the frame cannot run. It decides nothing; the checkout's frame tells it what to show.
 *
 * The box keeps the frame's height while the frame is shown over the page, so that nothing jumps. Styles are set
 * through CSSOM and text through textContent, so a host page with `style-src 'none'` and Trusted Types works.
 */
import { bankFeatures } from "@oriel/protocol/windows";
import { createElement } from "../host-document.ts";
import { rescueWords } from "../rescue-words.ts";
import { setStyle, showOverPage } from "./top-layer.ts";

export interface BoxSettings {
  title: string;
  origin: string;
  loader: "auto" | "always" | "never";
  /** As the option of that name. */
  locale: string | undefined;
}

/**
 * Height of the form before the frame has told its own, in CSS pixels: what the form of one card has, so that nothing
 * jumps.
 */
const firstHeight = 420;

/** Where fields and button will stand, drawn as a background, for which no element and no style sheet is needed. */
const skeleton = "repeating-linear-gradient(#8882 0 3rem,#0000 3rem 5rem)";

const seen = { opacityProperty: true, visibilityProperty: true };

export interface FrameBox {
  readonly element: HTMLElement;
  readonly frame: HTMLIFrameElement;
  /** The skeleton and the link have no more business here. */
  showForm(): void;
  /**
   * A style of the page, on the frame itself, keeps it from being seen. What hides the container hides both, and may
   * show them again.
   */
  isHidden(): boolean;
  setHeight(height: number): void;
  /** Shows the frame over the whole page until `shrink`. */
  grow(): void;
  shrink(): void;
  /** The full page's address, in the frame's place or below it. It holds the session's secret, as the frame's did. */
  showLink(href: string): void;
  takeFrameAway(): void;
}

export function createFrameBox({ title, origin, loader, locale }: BoxSettings): FrameBox {
  const element = createElement("div");
  const frame = createElement("iframe");
  let link: Element | null = null;
  let back: (() => void) | null = null;
  let height = `${firstHeight}px`;

  frame.title = title;
  frame.referrerPolicy = "strict-origin";
  frame.allow = bankFeatures.map((feature) => `${feature} ${origin}`).join("; ");
  setStyle(frame, {
    display: "block",
    width: "100%",
    height,
    border: "0",
    visibility: loader === "always" ? "hidden" : "",
  });
  setStyle(element, { background: loader === "never" ? "" : skeleton });
  element.append(frame);

  const box: FrameBox = {
    element,
    frame,
    showForm() {
      setStyle(element, { background: "" });
      setStyle(frame, { visibility: "" });
      link?.remove();
    },
    isHidden: () => element.checkVisibility?.(seen) && !frame.checkVisibility(seen),
    setHeight(pixels) {
      height = `${pixels}px`;
      if (!back) setStyle(frame, { height });
    },
    grow() {
      if (back) return;
      setStyle(element, { height });
      back = showOverPage(frame);
    },
    shrink() {
      if (!back) return;
      back();
      back = null;
      setStyle(element, { height: "" });
      setStyle(frame, { height });
    },
    showLink(href) {
      box.showForm();
      const anchor = createElement("a");
      anchor.href = href;
      anchor.rel = "noopener";
      anchor.referrerPolicy = "strict-origin";
      const { language, goOn } = rescueWords(locale);
      anchor.lang = language;
      anchor.dir = "auto";
      anchor.textContent = goOn;
      link = createElement("p");
      link.setAttribute("role", "status");
      link.append(anchor);
      element.append(link);
    },
    takeFrameAway() {
      box.shrink();
      frame.remove();
    },
  };
  return box;
}
