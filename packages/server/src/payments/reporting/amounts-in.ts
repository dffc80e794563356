/**
 * Reads an amount in a search text, as the dashboard and receipts show it. Depending on the currency's decimals, it can
 * stand for several amounts.
 */
import { currenciesWithDecimals } from "@oriel/protocol/currency";

export interface SearchedAmount {
  /** In the smallest unit of these currencies. */
  amount: number;
  currencies: readonly string[];
}

const exponents = [0, 2, 3, 4] as const;

/**
 * The sign of a refund or a loss (also as a mathematical minus or a dash) doesn't matter, because payments are found by
 * their own amount.
 */
const signs = /[-+\u2212\u2012\u2013]/g;
/** The longest names are `CFPF` and a code on the other side. */
const parts = /^(\D{0,8})(\d(?:[\d.,'\u2019\s]*\d)?)(\D{0,8})$/u;

/**
 * @example amountsIn("€49") // [{ amount: 4900, currencies: ["eur"] }]
 * @returns an empty list if the text isn't an amount
 */
export function amountsIn(text: string): SearchedAmount[] {
  const [, before = "", digits = "", after = ""] = parts.exec(text.replaceAll(/\p{Cf}/gu, "").trim()) ?? [];
  const named = [before.replace(signs, ""), after].map(currenciesNamed);
  if (named.includes(null)) return [];
  return readings(digits).flatMap(({ whole, decimals }) =>
    exponents.flatMap((exponent) => {
      const currencies = currenciesWithDecimals(exponent).filter((currency) =>
        named.every((names) => names === null || names === "any" || names.has(currency)),
      );
      const amount = Number(whole + decimals.padEnd(exponent, "0"));
      const isPossible = decimals.length <= exponent && currencies.length > 0 && Number.isSafeInteger(amount);
      return isPossible ? [{ amount, currencies }] : [];
    }),
  );
}

/** A dot or comma before three digits can separate thousands or decimals, so `1.234` has two readings. */
function readings(digits: string): { whole: string; decimals: string }[] {
  const number = digits.replaceAll(/['\u2019\s]/g, " ");
  const [, whole = "", sign = "", decimals = ""] = /^(.*)([.,])(\d{1,4})$/.exec(number) ?? [];
  const all = [{ whole: ungrouped(number), decimals: "" }];
  if (decimals !== "" && !whole.includes(sign)) all.push({ whole: ungrouped(whole), decimals });
  return all.filter((reading) => /^\d{1,12}$/.test(reading.whole));
}

/** Removes separators of thousands, also after the first thousand every two digits as in India. Otherwise, nothing. */
function ungrouped(number: string): string {
  const isGrouped = /^\d{1,3}(?:([ .,])\d{3})(?:\1\d{3})*$|^\d{1,2}(?:,\d{2})+,\d{3}$/.test(number);
  return isGrouped ? number.replaceAll(/\D/g, "") : number;
}

/** @returns `any` for no text or a sign that we don't know, and null if the text isn't a currency */
function currenciesNamed(text: string): ReadonlySet<string> | "any" | null {
  const name = plain(text);
  return namedCurrencies().get(name) ?? (/^\p{Sc}?$/u.test(name) ? "any" : null);
}

let names: ReadonlyMap<string, ReadonlySet<string>> | null = null;

/** Codes, and the names of English such as `€`, `CN¥` and `FCFA`. Several currencies have the same short sign. */
function namedCurrencies(): ReadonlyMap<string, ReadonlySet<string>> {
  if (names !== null) return names;
  const found = new Map<string, Set<string>>();
  const add = (name: string, currency: string) => found.set(name, (found.get(name) ?? new Set()).add(currency));
  for (const currency of exponents.flatMap(currenciesWithDecimals)) {
    add(currency, currency);
    for (const currencyDisplay of ["symbol", "narrowSymbol"] as const) {
      const format = new Intl.NumberFormat("en", { style: "currency", currency, currencyDisplay });
      add(plain(format.formatToParts(0).find(({ type }) => type === "currency")?.value ?? ""), currency);
    }
  }
  names = found;
  return names;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[\s.]/g, "");
}
