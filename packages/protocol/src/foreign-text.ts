/**
 * Text that one person writes and another reads: names, descriptions, references. Unicode has characters that nobody
 * sees, and some of them turn the direction of what stands around them, so a name can look like another one, or
 * rearrange the sentence it is in. What we do about them:
 *
 * - **Names that are given to us** (of people, accounts, secret keys, and all of an application) must not have any:
 *   {@link hiddenCharacter} refuses them.
 * - **Text from a merchant's server or a customer** is kept as it came, because it may come from anywhere. The
 *   dashboard, its CSV files and the command line show each such character by its code point, `[U+202E]` ({@link
 *   visible}). The checkout page and its receipts leave it out ({@link withoutHidden}).
 * - **Inside a sentence** a name of the other direction is isolated (`isolate.ts`), so that it can't move what comes
 *   before or after it.
 *
 * A zero-width joiner or non-joiner isn't hidden where it belongs: after a letter of a script that joins its letters,
 * or inside an emoji. Neither is a variation selector, which chooses the form of the character before it.
 */

const joining = "Arab Syrc Mong Nkoo Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr Tibt"
  .split(" ")
  .map((script) => `\\p{Script=${script}}`)
  .join("");

/** Source of a regular expression with the flag `u`, which matches one: all but control characters. */
const unseen = [
  "[\\u2028\\u2029\\u2800\\ufff9-\\ufffb]",
  "(?![\\u200c\\u200d\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}])\\p{Default_Ignorable_Code_Point}",
  `(?<![\\p{M}\\p{Extended_Pictographic}\\p{Emoji_Modifier}${joining}])[\\u200c\\u200d]`,
].join("|");

/** For the pattern of a schema, `(?!.*${hiddenCharacter})`: matches one in text of one line. */
export const hiddenCharacter = `(?:\\p{Cc}|${unseen})`;

/** The same for text that may have several lines, and tabs. */
export const hiddenInLines = `(?:[^\\P{Cc}\\t\\n\\r]|${unseen})`;

const everyHidden = new RegExp(hiddenInLines, "gu");

/** Whether a text of one line has any. */
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

/** The same for every text in an answer, and for the names of its fields. */
export function allVisible(value: unknown): unknown {
  if (typeof value === "string") return visible(value);
  if (Array.isArray(value)) return value.map(allVisible);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [visible(name), allVisible(member)]));
}

export function withoutHidden(text: string): string {
  return text.replace(everyHidden, "");
}
