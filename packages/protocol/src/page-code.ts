/**
 * Finds what runs in a page: its scripts and styles, and every other way by which markup could bring some in.
 *
 * It reads our own pages, which are simple, and pages that somebody has tampered with, which need not be: so it is no
 * parser of HTML, and is never the only judge. Whoever compares a page also compares its bytes as a whole; this says
 * which part of them is another one.
 */

export interface PageCode {
  /** But for blocks of JSON, which browsers do not run. */
  scripts: FoundScript[];
  /** The texts of the style elements. */
  styles: string[];
  /**
   * Tags that fetch, frame, redirect or run something, and that are neither of the above; as they stand, cut at 200
   * characters.
   */
  others: string[];
}

export interface FoundScript {
  /** As the attribute says it, in lower case; `""` without one. */
  type: string;
  /** Null: it stands in the page. */
  src: string | null;
  text: string;
}

export function codeOf(html: string): PageCode {
  const code: PageCode = { scripts: [], styles: [], others: [] };
  for (let at = 0; ;) {
    const tag = nextTag(html, at);
    if (tag === null) return code;
    at = tag.end;
    if (tag.name !== "script" && tag.name !== "style") {
      if (!isHarmless(tag)) code.others.push(html.slice(tag.start, tag.end).slice(0, 200));
      continue;
    }
    const [text, end] = untilClosed(html, tag);
    at = end;
    if (tag.name === "style") code.styles.push(text);
    else {
      const [type, src] = [(attributeOf(tag, "type") ?? "").toLowerCase(), attributeOf(tag, "src")];
      if (type !== "application/json") code.scripts.push({ type, src, text });
    }
  }
}

/** What an import map says, as `[name, url, integrity]`; null if it is none that browsers would take. */
export function readImportMap(text: string): [name: string, url: string, integrity: string | null][] | null {
  let map: unknown;
  try {
    map = JSON.parse(text);
  } catch {
    return null;
  }
  const { imports, integrity } = record(map);
  const hashes = record(integrity);
  return Object.entries(record(imports)).map(([name, url]) => {
    const address = typeof url === "string" ? url : "";
    const hash = hashes[address];
    return [name, address, typeof hash === "string" ? hash : null];
  });
}

interface Tag {
  name: string;
  attributes: string;
  start: number;
  /** Behind its `>`. */
  end: number;
}

/** The next opening tag from there on. Each character is looked at once, however the page was made. */
function nextTag(html: string, from: number): Tag | null {
  for (let start = html.indexOf("<", from); start !== -1; start = html.indexOf("<", start + 1)) {
    if (!/[a-z]/i.test(html[start + 1] ?? "")) continue;
    let quote = "";
    for (let i = start + 1; i < html.length; i++) {
      const char = html[i] ?? "";
      if (quote !== "") quote = char === quote ? "" : quote;
      else if (char === '"' || char === "'") quote = char;
      else if (char === ">") return { ...nameAndAttributes(html.slice(start + 1, i)), start, end: i + 1 };
    }
    return null; // it never ends, and so is no tag; nor can anything in it be
  }
  return null;
}

function nameAndAttributes(tag: string): Pick<Tag, "name" | "attributes"> {
  const length = tag.search(/[\s/]/);
  return length === -1
    ? { name: tag.toLowerCase(), attributes: "" }
    : { name: tag.slice(0, length).toLowerCase(), attributes: tag.slice(length) };
}

/**
 * What stands in an element that holds text only, and where it ends. One that is never closed runs to the end of the
 * page.
 */
function untilClosed(html: string, { name, end }: Tag): [text: string, end: number] {
  const closing = name === "style" ? /<\/style(?=[\s/>])[^>]*>?/gi : /<\/script(?=[\s/>])[^>]*>?/gi;
  closing.lastIndex = end;
  const found = closing.exec(html);
  return found ? [html.slice(end, found.index), closing.lastIndex] : [html.slice(end), html.length];
}

/** Elements that load, frame, run or lead somewhere by themselves. */
const active =
  /^(iframe|frame|object|embed|applet|base|portal|fencedframe|img|image|video|audio|source|track|animate|set|script|style)$/;

function isHarmless(tag: Tag): boolean {
  if (/[\s"'/]on[a-z]+\s*=/i.test(tag.attributes) || /javascript:/i.test(tag.attributes)) return false;
  if (/[\s"'/](?:style|srcdoc|action|formaction)\s*=/i.test(tag.attributes)) return false;
  if (tag.name === "meta") return attributeOf(tag, "http-equiv") === null;
  if (tag.name === "link") return isHarmlessLink(attributeOf(tag, "rel"), attributeOf(tag, "href") ?? "");
  return !active.test(tag.name);
}

/**
 * Without an icon of ours, browsers ask for /favicon.ico. What is expected is an element of the page's own (HTML, link
 * type "expect").
 */
function isHarmlessLink(rel: string | null, href: string): boolean {
  return rel === "icon" ? href === "data:," : rel === "expect" && /^#\w+$/.test(href);
}

function attributeOf({ attributes }: Tag, name: string): string | null {
  const found = new RegExp(`[\\s"'/]${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, "i").exec(attributes);
  return found ? (found[1] ?? found[2] ?? found[3] ?? "") : null;
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
