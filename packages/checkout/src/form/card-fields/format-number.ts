/**
 * Groups a card number as it is printed on the card, without losing the caret position. It accepts anything an input
 * can contain (all kinds of spaces, dashes, letters, digits of other scripts, pasted or autofilled text) and keeps only
 * the digits. It knows only the two brands that group differently, so it is small enough for `prepare-fields.ts`.
 */
import { plainDigits } from "@oriel/protocol/plain-digits";

export interface Formatted {
  value: string;
  /** The caret's position in `value`. */
  caret: number;
}

/**
 * @param caret the position of the caret in `raw`
 * @param longest the maximum number of digits to keep
 */
export function formatNumber(raw: string, caret: number, longest: number): Formatted {
  const digits = onlyDigits(raw).slice(0, longest);
  const value = group(digits);
  return { value, caret: caretAfter(value, Math.min(onlyDigits(raw.slice(0, caret)).length, digits.length)) };
}

/** The digits in a text, converted to 0 to 9. */
export function onlyDigits(text: string): string {
  return plainDigits(text).replace(/\D/g, "");
}

/**
 * Places the caret after the space once the group before it is complete, so that typing continues in the next group.
 */
function caretAfter(value: string, digitCount: number): number {
  return new RegExp(`^(\\d ?){${digitCount}}`).exec(value)?.[0].length ?? value.length;
}

/** American Express, and Diners Club with 14 digits, use groups of 4, 6 and at most 5. */
function group(digits: string): string {
  const grouped = /^3([47]|(?=.{0,13}$)(0[0-5]|095|[689]))/.test(digits)
    ? digits.replace(/^(.{4})(.{0,6})(.{0,5}).*/, "$1 $2 $3")
    : digits.replace(/.{4}/g, "$& ");
  return grouped.trim();
}
