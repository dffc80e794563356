/** ISO 4217 numeric codes of the currencies in `currency.ts`, which EMV 3DS messages use. */
import { currencyNumberTable } from "./currency-number-table.ts";

const numbers: ReadonlyMap<string, string> = new Map(
  currencyNumberTable
    .trim()
    .split(/\s+/)
    .map((entry) => [entry.slice(0, 3), entry.slice(3)]),
);

/**
 * The ISO 4217 number of a currency.
 *
 * @param code lower case, such as `"eur"`
 * @returns three digits, such as `"978"`
 * @throws RangeError for a code that `isCurrency` refuses
 */
export function currencyNumber(code: string): string {
  const number = numbers.get(code);
  if (number === undefined) throw new RangeError(`Unknown currency "${code}"`);
  return number;
}

/** The lower-case currency code for a number, or undefined if no supported currency has it. */
export function currencyOfNumber(number: string): string | undefined {
  return [...numbers].find(([, known]) => known === number)?.[0];
}
