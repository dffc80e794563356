/**
 * International bank account numbers, ISO 13616: two letters of a country, two check digits, and the account as its
 * country writes it.
 */

/** As it is kept: without spaces, in capitals. */
export function plainIban(text: string): string {
  return text.replaceAll(" ", "").toUpperCase();
}

/** Whether its check digits are right (ISO 7064, MOD 97-10). Whether there is such an account, only its bank knows. */
export function isIban(iban: string): boolean {
  if (!/^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/.test(iban)) return false;
  const digits = `${iban.slice(4)}${iban.slice(0, 4)}`.replace(/[A-Z]/g, (letter) => String(parseInt(letter, 36)));
  let rest = 0;
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % 97;
  return rest === 1;
}
