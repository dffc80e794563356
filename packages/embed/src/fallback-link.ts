/**
 * What stands in for a frame that never answered: one link to the same session on the full page, so that the sale is not lost.
 * It looks like the host page's own text and links. The address holds the session's secret, as the frame's did.
 */
import type { EmbedUrl } from "./embed-url.ts";
import { createElement } from "./host-document.ts";

export function fallbackLink(url: EmbedUrl): HTMLElement {
  const link = createElement("a");
  link.href = url.href;
  link.rel = "noopener";
  link.referrerPolicy = "strict-origin";
  link.textContent = "Continue on the secure payment page";
  const paragraph = createElement("p");
  paragraph.setAttribute("role", "status");
  paragraph.append(link);
  return paragraph;
}
