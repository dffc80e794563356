/**
 * The checkout page with a session's looks in it: one `<meta>` of tokens, which the page's first script reads and puts
 * on by CSSOM. Scripts and styles are the same bytes as ever. Nothing secret is in it, and one shop's sessions look
 * alike, so that each look is made and compressed once.
 */
import type { FrameAppearance } from "@oriel/protocol/frame-looks";

const beforeIt = '<head><meta charset="utf-8"';
/** Shops with looks of their own, times their languages; the ones that were not asked for longest go first. */
const mostKept = 500;

/** @param html the page in that language */
type WriteAppearance = (html: Buffer, language: string, appearance: FrameAppearance | null) => Buffer;

export function createAppearanceWriter(): WriteAppearance {
  const kept = new Map<string, Buffer>();
  return (html, language, appearance) => {
    if (appearance === null) return html;
    const content = JSON.stringify(appearance);
    const key = `${language} ${content}`;
    const page = kept.get(key) ?? insertMeta(html, content);
    kept.delete(key);
    kept.set(key, page);
    for (const [oldest] of kept) {
      if (kept.size <= mostKept) break;
      kept.delete(oldest);
    }
    return page;
  };
}

function insertMeta(html: Buffer, content: string): Buffer {
  const at = html.indexOf(beforeIt);
  const end = at < 0 ? -1 : html.indexOf(">", at + beforeIt.length) + 1;
  if (end <= 0) throw new Error("Bug: a page without the place for its looks");
  const meta = `<meta name="appearance" content="${escapeAttribute(content)}">`;
  return Buffer.concat([html.subarray(0, end), Buffer.from(meta), html.subarray(end)]);
}

function escapeAttribute(text: string): string {
  return text.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
