/**
 * Writes a card number in groups, the way it stands on the card, without losing the caret.
 * Takes whatever an input can hold (spaces, dashes, letters, a paste, an autofill) and keeps digits only, at most as many as the brand has.
 */
import { cardBrand, cardLengths } from "@oriel/protocol/card";

export interface Formatted {
  value: string;
  /** Where the caret belongs in `value`. */
  caret: number;
}

/** @param caret where the caret stands in `raw` */
export function formatNumber(raw: string, caret: number): Formatted {
  const all = onlyDigits(raw);
  const digits = all.slice(0, Math.max(...cardLengths(all)));
  const value = group(digits);
  return { value, caret: caretAfter(value, Math.min(onlyDigits(raw.slice(0, caret)).length, digits.length)) };
}

export function onlyDigits(text: string): string {
  return text.replace(/\D/g, "");
}

/** After the space when the group before it is complete, so that typing goes on in the next group. */
function caretAfter(value: string, digitCount: number): number {
  if (digitCount === 0) return 0;
  let seen = 0;
  let at = 0;
  while (at < value.length && seen < digitCount) if (value[at++] !== " ") seen++;
  return value[at] === " " ? at + 1 : at;
}

function group(digits: string): string {
  const sizes =
    cardBrand(digits) === "amex" ? [4, 6, 5] : cardBrand(digits) === "diners" && digits.length < 15 ? [4, 6, 4] : [4, 4, 4, 4, 3];
  const groups: string[] = [];
  let at = 0;
  for (const size of sizes) {
    if (at >= digits.length) break;
    groups.push(digits.slice(at, at + size));
    at += size;
  }
  return groups.join(" ");
}
