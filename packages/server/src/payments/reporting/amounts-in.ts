/** Reads an amount in a search text. Depending on the currency's decimals, it can stand for several amounts. */
import { currenciesWithDecimals, isCurrency } from "@oriel/protocol/currency";

export interface SearchedAmount {
  /** In the smallest unit of these currencies. */
  amount: number;
  currencies: readonly string[];
}

/** Signs that belong to few currencies. Others, such as `$`, don't restrict the search. */
const currenciesBySign: Readonly<Record<string, readonly string[]>> = {
  "€": ["eur"],
  "£": ["gbp"],
  "¥": ["jpy", "cny"],
  "₹": ["inr"],
};

/**
 * @example amountsIn("€49") // [{ amount: 4900, currencies: ["eur"] }]
 * @returns an empty list if the text isn't an amount
 */
export function amountsIn(text: string): SearchedAmount[] {
  const [, before = "", digits = "", after = ""] = /^([^\d.,]{0,5})(\d[\d.,]*)([^\d.,]{0,5})$/u.exec(text.trim()) ?? [];
  const number = numberIn(digits);
  const named = currenciesNamed(before.trim() + after.trim());
  if (number === null || named === null) return [];
  const { whole, decimals } = number;
  return ([0, 2, 3, 4] as const).flatMap((exponent) => {
    const currencies = currenciesWithDecimals(exponent).filter(
      (currency) => named.length === 0 || named.includes(currency),
    );
    const amount = Number(whole + decimals.padEnd(exponent, "0"));
    const isPossible = decimals.length <= exponent && currencies.length > 0 && Number.isSafeInteger(amount);
    return isPossible ? [{ amount, currencies }] : [];
  });
}

/** A comma or dot before one, two or four digits at the end is a decimal sign. Before three, it separates thousands. */
function numberIn(digits: string): { whole: string; decimals: string } | null {
  const [, whole = "", decimals = ""] = /^(\d+|\d{1,3}(?:[.,]\d{3})+)(?:[.,](\d{1,2}|\d{4}))?$/.exec(digits) ?? [];
  const plain = whole.replaceAll(/[.,]/g, "");
  return plain === "" || plain.length > 12 ? null : { whole: plain, decimals };
}

/** @returns null if the text isn't a currency, and an empty list if it allows any currency */
function currenciesNamed(text: string): readonly string[] | null {
  const code = text.toLowerCase();
  if (isCurrency(code)) return [code];
  if (/^(\p{Sc}|[A-Z]{1,2}\$)?$/u.test(text)) return currenciesBySign[text] ?? [];
  return null;
}
