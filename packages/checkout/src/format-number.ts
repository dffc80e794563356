/**
 * Writes a card number in groups, the way it stands on the card, without losing the caret.
 * Takes whatever an input can hold (spaces of any width, dashes, letters, digits of other scripts, a paste, an autofill) and keeps digits only.
 * It knows no brands but the two that group their digits another way, so it is small enough for the first script.
 */
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

/**
 * The digits of every script written as 0 to 9; everything else stays. Unicode has them in runs of ten, from zero to nine (The Unicode Standard, 4.6), so a
 * digit is worth as much as it has digits before it in its run; where runs follow each other, in tens.
 */
export function plainDigits(text: string): string {
  return text.replace(/\p{Nd}/gu, (digit) => {
    let before = digit.codePointAt(0) as number; // of a match, which is no empty text
    let worth = 0;
    while (/\p{Nd}/u.test(String.fromCodePoint(--before))) worth++;
    return String(worth % 10);
  });
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
