/**
 * What markup may say of a checkout: the same words as attributes of `<oriel-checkout>` and, with `data-oriel-` before
 * them, of any element.
 *
 * Attributes are a stranger's words until shown otherwise, for comments and reviews often keep theirs. So the address
 * of a session must be on the origin that the script came from; and what goes elsewhere or opens by itself takes code,
 * the element, or a click on `data-oriel-open`: the words for that are not taken from `data-oriel-` attributes.
 */
import { readEmbedUrl } from "../checkout/embed-url.ts";
import type { CheckoutOptions } from "../index.ts";

/** Attributes that stand for the option of their name. `theme` is `appearance.theme`. */
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
 * Reads the options that stand on an element. An empty attribute counts as none.
 *
 * @param prefix Of the names. Where there is one the address is required, for nothing else could name the session.
 * @param scriptOrigin The origin an address must have; null: none will do; undefined: any, for the code that draws this
 *   markup is the page's own.
 * @throws TypeError for an address on another origin, or one that is none.
 */
export function readAttributes(
  element: Element,
  prefix: string,
  scriptOrigin: string | null | undefined,
): CheckoutOptions {
  const options: Record<string, unknown> = {};
  for (const name of attributeNames) {
    const value = element.getAttribute(prefix + name);
    if (!value || (prefix && /^(redirect|auto|always|modal)$/.test(value))) continue;
    if (name === "theme") options["appearance"] = { theme: value };
    else options[name.replace(/-./, (found) => found.charAt(1).toUpperCase())] = value;
  }
  const { embedUrl } = options;
  if (scriptOrigin !== undefined && (embedUrl || prefix) && readEmbedUrl(embedUrl).origin !== scriptOrigin) {
    throw new TypeError(`Oriel: ${prefix}embed-url must have the origin that oriel.js came from.`);
  }
  return options; // words only: whoever mounts reads them as a stranger's
}
