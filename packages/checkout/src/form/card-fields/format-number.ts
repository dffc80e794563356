/**
 * Writes a card number in groups, the way it stands on the card, without losing the caret. Takes whatever an input can
 * hold (spaces of any width, dashes, letters, digits of other scripts, a paste, an autofill) and keeps digits only. It
 * knows no brands but the two that group their digits another way, so it is small enough for the first script.
 */
import { plainDigits } from "@oriel/protocol/plain-digits";

export interface Formatted {
  value: string;
  /** Where the caret belongs in `value`. */
  caret: number;
}

/**
 * @param caret where the caret stands in `raw`
 * @param longest how many digits are kept at most
 */
export function formatNumber(raw: string, caret: number, longest: number): Formatted {
  const digits = onlyDigits(raw).slice(0, longest);
  const value = group(digits);
  return { value, caret: caretAfter(value, Math.min(onlyDigits(raw.slice(0, caret)).length, digits.length)) };
}

/** The digits of a text, as 0 to 9. */
export function onlyDigits(text: string): string {
  return plainDigits(text).replace(/\D/g, "");
}

/** After the space when the group before it is complete, so that typing goes on in the next group. */
function caretAfter(value: string, digitCount: number): number {
  if (digitCount === 0) return 0;
  let seen = 0;
  let at = 0;
  while (at < value.length && seen < digitCount) if (value[at++] !== " ") seen++;
  return value[at] === " " ? at + 1 : at;
}

/** American Express, and Diners Club with 14 digits: 4, 6, the rest. */
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
