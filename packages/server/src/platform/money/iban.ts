/**
 * International bank account numbers (ISO 13616): a country code of two letters, two check digits, and the account
 * number in the country's own format.
 */

/** The format for storage: without spaces, in capitals. */
export function plainIban(text: string): string {
  return text.replaceAll(" ", "").toUpperCase();
}

/** Whether the format and the check digits are valid (ISO 7064, MOD 97-10). Doesn't mean that the account exists. */
export function isIban(iban: string): boolean {
  if (!/^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/.test(iban)) return false;
  const digits = `${iban.slice(4)}${iban.slice(0, 4)}`.replace(/[A-Z]/g, (letter) => String(parseInt(letter, 36)));
  let rest = 0;
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % 97;
  return rest === 1;
}
