/**
 * Finds the code in a page: scripts, styles and any other markup that could load or run code.
 *
 * It isn't a full HTML parser and must never be the only check, because a page may have been tampered with. Callers
 * also compare the page's bytes as a whole; this finds the part that changed.
 */

export interface PageCode {
  /** Excludes JSON blocks, which browsers don't run. */
  scripts: FoundScript[];
  /** The contents of the style elements. */
  styles: string[];
  /**
   * Other tags that load, embed, redirect or run something, truncated to 200 characters.
   */
  others: string[];
}

export interface FoundScript {
  /** The `type` attribute in lower case, or `""`. */
  type: string;
  /** Null for an inline script. */
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

/** An import map's entries as `[name, url, integrity]`, or null if it isn't valid JSON. */
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
  /** The index after its `>`. */
  end: number;
}

/** Finds the next opening tag in linear time. */
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
    return null; // browsers ignore an unclosed tag and everything in it
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
 * The text of a script or style element, and where it ends. An unclosed element extends to the end of the page.
 */
function untilClosed(html: string, { name, end }: Tag): [text: string, end: number] {
  const closing = name === "style" ? /<\/style(?=[\s/>])[^>]*>?/gi : /<\/script(?=[\s/>])[^>]*>?/gi;
  closing.lastIndex = end;
  const found = closing.exec(html);
  return found ? [html.slice(end, found.index), closing.lastIndex] : [html.slice(end), html.length];
}

/** Elements that load, embed, run or navigate to something by themselves. */
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
 * The empty icon keeps browsers from requesting /favicon.ico. The link type "expect" refers to an element of the same
 * page.
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
