/**
 * The box in the merchant's container: the iframe, the skeleton behind or in front of it, and the link to the full page
 * if the iframe can't run. checkout-frame.ts decides what it shows.
 *
 * While the iframe covers the page, the box keeps its height, so that the layout doesn't shift. Styles are set through
 * CSSOM and text through textContent, so it works on pages with `style-src 'none'` and Trusted Types. Rules for all
 * iframes are common in themes, so the iframe's size is `important`; otherwise it could cut off the Pay button.
 */
import { bankFeatures } from "@oriel/protocol/windows";
import type { CheckoutOptions } from "../api/checkout-options.ts";
import { createElement, removeNode } from "../page/host-document.ts";
import { loaderTexts } from "../page/loader-texts.ts";
import { createLayer, setStyle } from "./top-layer.ts";

export interface BoxSettings extends Pick<CheckoutOptions, "loader" | "locale"> {
  title: string;
}

/**
 * The initial height in CSS pixels, until the iframe reports its own. It's the height of a form with only card fields,
 * to avoid a layout shift.
 */
const firstHeight = 420;

/** No rule of the page takes precedence over `!important`. The page may hide the iframe, which is reported. */
const frameStyle = `display:block;width:100%!important;height:${firstHeight}px!important;min-width:0!important;min-height:0!important;max-width:none!important;max-height:none!important;padding:0!important;border:0!important`;

/** Placeholder for fields and button, drawn as a background, which needs no elements or stylesheet. */
const skeleton = "repeating-linear-gradient(#8882 0 3rem,#0000 3rem 5rem)";

const seen = { opacityProperty: true, visibilityProperty: true };

export interface FrameBox {
  readonly boxElement: HTMLElement;
  readonly iframeElement: HTMLIFrameElement;
  /** The form is painted, so the skeleton must not show through it. */
  showFields(): void;
  /** Removes the skeleton and the link. */
  showForm(): void;
  /**
   * Whether the page's CSS hides the iframe itself. If the container is hidden, this returns false, because the page
   * may show it later.
   */
  isHidden(): boolean;
  setHeight(height: number): void;
  /** Shows the iframe over the whole page until `shrink`. */
  grow(): void;
  shrink(): void;
  /**
   * Shows a link to the full page, in place of the iframe or below it. Like the iframe's URL, it contains the secret.
   */
  showLink(href: string): void;
  takeFrameAway(): void;
}

export const createFrameBox = ({ title, loader, locale }: BoxSettings, origin: string): FrameBox => {
  const element = createElement("div");
  const frame = createElement("iframe");
  let link: Element | null = null;
  let back: (() => void) | null = null;
  let height = `${firstHeight}px`;

  frame.title = title;
  frame.referrerPolicy = "strict-origin";
  frame.allow = bankFeatures.map((feature) => `${feature} ${origin}`).join("; ");
  frame.style.cssText = frameStyle;
  if (loader === "always") setStyle(frame, { visibility: "hidden" });
  setStyle(element, { background: loader === "never" ? "" : skeleton });
  // Turbo doesn't remove such an element when it morphs the page.
  element.dataset["turboPermanent"] = "";
  element.append(frame);
  const showOverPage = createLayer(element, frame);

  const box: FrameBox = {
    boxElement: element,
    iframeElement: frame,
    showFields() {
      if (loader !== "always") setStyle(element, { background: "" });
    },
    showForm() {
      setStyle(element, { background: "" });
      setStyle(frame, { visibility: "" });
      removeNode(link);
    },
    isHidden: () => element.checkVisibility?.(seen) && !frame.checkVisibility(seen),
    setHeight(pixels) {
      height = `${pixels}px`;
      if (!back) setStyle(frame, { height }, "important");
    },
    grow() {
      if (back) return;
      setStyle(element, { height });
      back = showOverPage();
    },
    shrink() {
      if (!back) return;
      back();
      back = null;
      setStyle(element, { height: "" });
      setStyle(frame, { height }, "important");
    },
    showLink(href) {
      box.showForm();
      link = createLink(href, locale);
      element.append(link);
    },
    takeFrameAway() {
      box.shrink();
      removeNode(frame);
    },
  };
  return box;
};

/** A link to pay, for when the iframe can't run. @param locale the `locale` option */
export const createLink = (href: string, locale: string | undefined): Element => {
  const anchor = createElement("a");
  anchor.href = href;
  anchor.rel = "noopener";
  anchor.referrerPolicy = "strict-origin";
  const { language, label } = loaderTexts(locale);
  anchor.lang = language;
  anchor.dir = "auto";
  anchor.textContent = label;
  const status = createElement("p");
  status.setAttribute("role", "status");
  status.append(anchor);
  return status;
};
