/**
 * Isolates a name inside a sentence if either is right-to-left; see `hidden-characters.ts`.
 */

/** Letters of right-to-left scripts. Those beyond U+FFFF are matched by their high surrogate. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\ud802\ud803\ud83a\ud83b]/;

/**
 * Wraps text in a first-strong isolate (Unicode Standard Annex 9) if it or the sentence it goes into is right-to-left.
 * The text must not contain hidden characters, because they could end the isolate.
 *
 * @example `${isolate(name)} invites you.`
 */
export function isolate(text: string, sentence = ""): string {
  return rightToLeft.test(text) || rightToLeft.test(sentence) ? `\u2068${text}\u2069` : text;
}
