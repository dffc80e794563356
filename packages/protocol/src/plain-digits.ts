/**
 * Replaces the digits of every script with 0 to 9 and leaves other characters unchanged.
 *
 * Unicode encodes decimal digits in runs of ten, from zero to nine (The Unicode Standard, 4.6), and some runs are
 * adjacent. So a digit's value is the number of digits directly before it, modulo ten.
 *
 * @example plainDigits("４२ cups") // "42 cups"
 */
export function plainDigits(text: string): string {
  return text.replace(/\p{Nd}/gu, (digit) => {
    let before = digit.codePointAt(0) as number; // a match isn't empty
    let value = 0;
    while (/\p{Nd}/u.test(String.fromCodePoint(--before))) value++;
    return String(value % 10);
  });
}
