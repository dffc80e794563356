/**
 * Adds to the checkout page what a session's first paint depends on. The bytes of scripts and styles don't change.
 *
 * - The appearance, as one `<meta>` element with tokens that a script of the page applies through the CSSOM.
 * - The form's shape, as attributes of `<html>` that the styles know: `data-no-card` if no card is needed, and
 *   `data-choices` with the number of things that the customer can choose. So nothing moves when the session arrives.
 *
 * The sessions of a shop usually share both, and neither contains a secret, so each variant is built and compressed
 * once.
 */
import type { FrameAppearance } from "@oriel/protocol/appearance-settings";
import type { FormShape } from "../../payments/sessions/session-pages.ts";

const afterRootName = /^<!doctype html><html/;
const afterCharset = /<head><meta charset="utf-8" *\/?>/;
/** Number of variants to keep. The least recently used ones are dropped. */
const maxVariants = 500;

/** @param html the page in that language */
type WriteVariant = (html: Buffer, language: string, appearance: FrameAppearance | null, shape: FormShape) => Buffer;

export function createVariantWriter(): WriteVariant {
  const cached = new Map<string, Buffer>();
  return (html, language, appearance, { needsCard, choices }) => {
    const attributes = `${needsCard ? "" : " data-no-card"}${choices === 0 ? "" : ` data-choices="${choices}"`}`;
    const meta =
      appearance === null ? "" : `<meta name="appearance" content="${escapeAttribute(JSON.stringify(appearance))}">`;
    if (attributes === "" && meta === "") return html;
    const key = `${language} ${attributes}${meta}`;
    const page = cached.get(key) ?? insert(insert(html, afterRootName, attributes), afterCharset, meta);
    cached.delete(key);
    cached.set(key, page);
    for (const [oldest] of cached) {
      if (cached.size <= maxVariants) break;
      cached.delete(oldest);
    }
    return page;
  };
}

function insert(html: Buffer, after: RegExp, text: string): Buffer {
  const found = after.exec(html.toString("latin1"));
  if (found === null) throw new Error(`Bug: the page has no place for ${text}`);
  const at = found.index + found[0].length;
  return Buffer.concat([html.subarray(0, at), Buffer.from(text), html.subarray(at)]);
}

function escapeAttribute(text: string): string {
  return text.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
