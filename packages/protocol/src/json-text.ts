/**
 * Finds what two readers of the same JSON could understand differently, so that it is refused instead of guessed at: a
 * name twice in one object (the last wins here, the first elsewhere), a number that has no exact value here, NUL and
 * half a surrogate pair (PostgreSQL's text can hold neither). Nesting is bounded, because what walks a body recurses.
 * For text that `JSON.parse` has accepted.
 */

/** Deeper than anything the API knows. */
const maxDepth = 16;
/** Longer than any number that a double can hold exactly and a person would write. */
const maxNumberLength = 64;

/**
 * Strings, with the colon of those that are names, brackets, and numbers. What else is between them doesn't matter
 * here.
 */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"\s*:?|[[\]{}]|-?\d[\d.eE+-]*/g;

/** @returns what is wrong, as the end of a sentence that begins with "it"; null for nothing */
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
      if (isName && open.at(-1)?.has(text)) return "contains the same name twice";
      if (isName) open.at(-1)?.add(text);
    } else if (!isExact(token)) {
      return "contains a number with more digits, or a larger exponent, than can be kept";
    }
  }
  return null;
}

/** Whether the number that JavaScript makes of it is written the same, but for zeros and the place of the point. */
function isExact(number: string): boolean {
  if (/^-?\d{1,15}$/.test(number)) return true; // nearly all
  return number.length <= maxNumberLength && plain(number) === plain(String(Number(number)));
}

/** `4900.0`, `49e2` and `4900` are all `49e2`; what isn't finite stays as it is. */
function plain(number: string): string {
  const [, sign, whole, fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  if (whole === undefined) return number;
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const kept = digits.replace(/0+$/, "");
  return kept === "" ? "0" : `${sign}${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}

/** Whether a Content-Type announces anything but UTF-8, the only encoding that JSON has (RFC 8259, 8.1). */
export function isForeignCharset(contentType = ""): boolean {
  const charsets = [...contentType.matchAll(/;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]*))/gi)].map(
    ([, quoted, bare]) => quoted ?? bare,
  );
  return charsets.some((charset) => charset?.toLowerCase() !== "utf-8");
}
