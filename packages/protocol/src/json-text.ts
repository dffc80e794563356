/**
 * Finds JSON that two parsers could understand differently, so that the service can refuse it instead of guessing: a
 * duplicate name (the last one wins in JavaScript, the first one elsewhere), a number that a double can't represent
 * exactly, and NUL or a lone surrogate, which PostgreSQL can't store. Nesting is limited because the code that handles
 * bodies is recursive. Expects text that `JSON.parse` accepts.
 */

/** Deeper than any API request needs. */
const maxDepth = 16;
/** More digits than any useful number needs that a double represents exactly. */
const maxNumberLength = 64;

/**
 * Matches strings (with the colon if they're names), brackets and numbers. Everything else can be skipped.
 */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"\s*:?|[[\]{}]|-?\d[\d.eE+-]*/g;

/** @returns what is wrong, as the rest of a sentence that begins with "it", or null */
export function findFault(json: string): string | null {
  const open: Set<string>[] = [];
  for (const [token] of json.matchAll(tokens)) {
    if (token === "{" || token === "[") {
      if (open.push(new Set()) > maxDepth) return "is nested too deeply";
    } else if (token === "}" || token === "]") {
      open.pop();
    } else if (token.startsWith('"')) {
      const isName = token.endsWith(":");
      const text = JSON.parse(isName ? token.slice(0, -1) : token) as string; // the token is a JSON string
      if (text.includes("\0") || !text.isWellFormed()) return "contains an invalid character";
      if (isName && open.at(-1)?.has(text)) return "contains the same property name twice";
      if (isName) open.at(-1)?.add(text);
    } else if (!isExact(token)) {
      return "contains a number that can't be represented exactly";
    }
  }
  return null;
}

/** Whether JavaScript's number has the same digits, ignoring zeros and the position of the decimal point. */
function isExact(number: string): boolean {
  if (/^-?\d{1,15}$/.test(number)) return true; // the usual case
  return number.length <= maxNumberLength && plain(number) === plain(String(Number(number)));
}

/** Normalizes a number: `4900.0`, `49e2` and `4900` give the same text. `Infinity` is returned unchanged. */
function plain(number: string): string {
  const [, sign, whole, fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  if (whole === undefined) return number;
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const [significant = ""] = /^.*[1-9]/.exec(digits) ?? [];
  return significant === ""
    ? "0"
    : `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

/** Whether a Content-Type declares an encoding other than UTF-8, the only one for JSON (RFC 8259, 8.1). */
export function isForeignCharset(contentType = ""): boolean {
  const charsets = [...contentType.matchAll(/;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]*))/gi)].map(
    ([, quoted, bare]) => quoted ?? bare,
  );
  return charsets.some((charset) => charset?.toLowerCase() !== "utf-8");
}
