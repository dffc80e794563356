/**
 * Groups a card number as it is printed on the card, without losing the caret position. It accepts anything an input
 * can contain (all kinds of spaces, dashes, letters, digits of other scripts, pasted or autofilled text) and keeps only
 * the digits. It knows only the two brands that group differently, so it is small enough for the first script.
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
  if (digitCount === 0) return 0;
  let seen = 0;
  let at = 0;
  while (at < value.length && seen < digitCount) if (value[at++] !== " ") seen++;
  return value[at] === " " ? at + 1 : at;
}

/** American Express, and Diners Club with 14 digits, use groups of 4, 6 and the rest. */
function group(digits: string): string {
  const sizes = /^3([47]|(?=.{0,13}$)(0[0-5]|095|[689]))/.test(digits) ? [4, 6, 5] : [4, 4, 4, 4, 3];
  const groups: string[] = [];
  let at = 0;
  for (const size of sizes) {
    if (at >= digits.length) break;
    groups.push(digits.slice(at, at + size));
    at += size;
  }
  return groups.join(" ");
}
