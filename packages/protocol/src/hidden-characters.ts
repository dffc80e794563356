/**
 * Protects readers from invisible Unicode characters in text that someone else wrote, such as names, descriptions and
 * references. Some of them change the direction of the text around them, so a name could look like another one or
 * rearrange the sentence it's in.
 *
 * - **Names in requests** (of people, accounts and secret keys, and everything in an application) must not contain any.
 *   Schemas reject them with {@link hiddenCharacter}.
 * - **Text from a merchant's server or a customer** is stored unchanged. The dashboard, its CSV files and the command
 *   line show each hidden character as its code point, such as `[U+202E]` ({@link visible}). The checkout page and its
 *   receipts omit it ({@link withoutHidden}).
 * - **Inside a sentence**, a name with the opposite direction is isolated (`isolate.ts`), so that it can't reorder the
 *   text around it.
 *
 * Some invisible characters are legitimate: zero-width joiners and non-joiners after a letter of a joining script or
 * inside an emoji, and variation selectors.
 */

const joining = "Arab Syrc Mong Nkoo Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr Tibt"
  .split(" ")
  .map((script) => `\\p{Script=${script}}`)
  .join("");

/** A regular expression source (flag `u`) that matches one hidden character, except control characters. */
const unseen = [
  "[\\u2028\\u2029\\u2800\\ufff9-\\ufffb]",
  "(?![\\u200c\\u200d\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}])\\p{Default_Ignorable_Code_Point}",
  `(?<![\\p{M}\\p{Extended_Pictographic}\\p{Emoji_Modifier}${joining}])[\\u200c\\u200d]`,
].join("|");

/** Matches one hidden character in single-line text. Use it in a schema as `(?!.*${hiddenCharacter})`. */
export const hiddenCharacter = `(?:\\p{Cc}|${unseen})`;

/** Like {@link hiddenCharacter}, but allows line breaks and tabs. */
export const hiddenInLines = `(?:[^\\P{Cc}\\t\\n\\r]|${unseen})`;

const everyHidden = new RegExp(hiddenInLines, "gu");

/** Whether single-line text contains a hidden character. */
export function hasHidden(text: string): boolean {
  return new RegExp(hiddenCharacter, "u").test(text);
}

/** @example visible("\u{202e}gnp.exe") // "[U+202E]gnp.exe" */
export function visible(text: string): string {
  return text.replace(everyHidden, (character) => {
    const codePoint = character.codePointAt(0) ?? 0;
    return `[U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}]`;
  });
}

/** Applies {@link visible} to every string and member name in a response. */
export function allVisible(value: unknown): unknown {
  if (typeof value === "string") return visible(value);
  if (Array.isArray(value)) return value.map(allVisible);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [visible(name), allVisible(member)]));
}

export function withoutHidden(text: string): string {
  return text.replace(everyHidden, "");
}
