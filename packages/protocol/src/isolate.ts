/**
 * A name inside a sentence, where one of them may be written from right to left: the last of the rules in
 * `foreign-text.ts`.
 */

/** Letters of scripts that are written from right to left; beyond U+FFFF by the surrogates they begin with. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\ud802\ud803\ud83a\ud83b]/;

/**
 * Wraps a text in a first-strong isolate (Unicode Standard Annex 9), if it or the sentence it goes into is written from
 * right to left. It must not have hidden characters, which could end the isolate.
 *
 * @example `${isolate(name)} invites you.`
 */
export function isolate(text: string, sentence = ""): string {
  return rightToLeft.test(text) || rightToLeft.test(sentence) ? `\u2068${text}\u2069` : text;
}
