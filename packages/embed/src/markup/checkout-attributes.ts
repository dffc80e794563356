/**
 * Reads a checkout's options from attributes of `<oriel-checkout>`, or of any element with the prefix `data-oriel-`.
 *
 * Attributes aren't trusted, because user content such as comments and reviews often keeps its attributes. So a
 * session's URL must have the script's origin, and `data-oriel-` attributes can't navigate elsewhere or open a dialog
 * on their own. That takes code, the element or a click on `data-oriel-open`.
 */
import type { CheckoutOptions } from "../api/checkout-options.ts";
import { findEmbedUrl } from "../api/embed-url.ts";

/** Attributes named after their option. `theme` is `appearance.theme`. */
export const attributeNames = [
  "embed-url",
  "presentation",
  "fallback",
  "redirect",
  "locale",
  "submit-button",
  "title",
  "theme",
] as const;

/**
 * Reads the options from an element's attributes. Empty attributes are ignored.
 *
 * @param prefix of the attribute names. With a prefix, the URL is required, because nothing else can provide the
 * session.
 * @param scriptOrigin the required origin of the URL. Null allows none; undefined allows any, because the page's own
 * code
 *   creates the markup.
 * @throws TypeError for a URL with another origin
 */
export const readAttributes = (
  element: Element,
  prefix: string,
  scriptOrigin: string | null | undefined,
): CheckoutOptions => {
  const options: Record<string, unknown> = {};
  for (const name of attributeNames) {
    const value = element.getAttribute(prefix + name);
    if (!value || (prefix && /^(redirect|auto|always|modal)$/.test(value))) continue;
    if (name === "theme") options["appearance"] = { theme: value };
    else options[name.replace(/-./, (found) => found.charAt(1).toUpperCase())] = value;
  }
  const { embedUrl } = options;
  // A malformed URL leads nowhere. The checkout reports it and shows a link instead.
  const origin = findEmbedUrl(embedUrl)?.origin ?? (embedUrl && (scriptOrigin || ""));
  if (scriptOrigin !== undefined && (embedUrl || prefix) && origin !== scriptOrigin) {
    const expected = scriptOrigin ?? "unknown until you call Oriel.load(origin)";
    throw new TypeError(`Oriel: ${prefix}embed-url must have the origin of oriel.js, ${expected}.`);
  }
  return options; // strings only; validated when mounted
};
