/**
 * Adds a session's appearance to the checkout page, as one `<meta>` element with tokens that a script of the page
 * applies through the CSSOM before the first paint. The bytes of scripts and styles don't change. The sessions of a shop
 * usually share an appearance, which contains no secret, so each variant is built and compressed once.
 */
import type { FrameAppearance } from "@oriel/protocol/appearance-settings";

const insertionPoint = '<head><meta charset="utf-8"';
/** Number of variants to keep, one for each appearance and language. The least recently used ones are dropped. */
const maxVariants = 500;

/** @param html the page in that language */
type WriteAppearance = (html: Buffer, language: string, appearance: FrameAppearance | null) => Buffer;

export function createAppearanceWriter(): WriteAppearance {
  const cached = new Map<string, Buffer>();
  return (html, language, appearance) => {
    if (appearance === null) return html;
    const content = JSON.stringify(appearance);
    const key = `${language} ${content}`;
    const page = cached.get(key) ?? insertMeta(html, content);
    cached.delete(key);
    cached.set(key, page);
    for (const [oldest] of cached) {
      if (cached.size <= maxVariants) break;
      cached.delete(oldest);
    }
    return page;
  };
}

function insertMeta(html: Buffer, content: string): Buffer {
  const at = html.indexOf(insertionPoint);
  const end = at < 0 ? -1 : html.indexOf(">", at + insertionPoint.length) + 1;
  if (end <= 0) throw new Error("Bug: the page has no place for its appearance");
  const meta = `<meta name="appearance" content="${escapeAttribute(content)}">`;
  return Buffer.concat([html.subarray(0, end), Buffer.from(meta), html.subarray(end)]);
}

function escapeAttribute(text: string): string {
  return text.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
