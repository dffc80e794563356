/** Tests how search texts are read as amounts. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { currenciesWithDecimals, currencyExponent, formatAmount, maxAmountMinor } from "@oriel/protocol/currency";
import { amountsIn } from "./amounts-in.ts";

const currencies = ([0, 2, 3, 4] as const).flatMap(currenciesWithDecimals);
const inCurrency = (text: string, currency: string) =>
  amountsIn(text).find(({ currencies }) => currencies.includes(currency))?.amount;

describe("amountsIn", () => {
  it.each([
    ["49", "eur", 4900],
    ["49.00", "eur", 4900],
    ["49,00", "eur", 4900],
    ["49.5", "eur", 4950],
    ["€49.00", "eur", 4900],
    ["49 €", "eur", 4900],
    ["49 EUR", "eur", 4900],
    ["eur 49", "eur", 4900],
    ["$1,234.50", "usd", 123_450],
    ["CA$1,234.50", "cad", 123_450],
    ["1.234,50", "eur", 123_450],
    ["1,234", "usd", 123_400],
    ["1234", "eur", 123_400],
    ["1234", "jpy", 1234],
    ["1234", "kwd", 1_234_000],
    ["¥700", "jpy", 700],
    ["CA$49", "cad", 4900],
    ["CN¥49.00", "cny", 4900],
    ["FCFA\u00a01,234", "xaf", 1234],
    ["F\u202fCFA\u00a01,234", "xof", 1234],
    ["KWD\u00a01,234.567", "kwd", 1_234_567],
    ["1.234,567 KWD", "kwd", 1_234_567],
    ["CLF 1,234.5678", "clf", 12_345_678],
    ["1\u202f234,50 €", "eur", 123_450],
    ["1’234.50 CHF", "chf", 123_450],
    ["₹12,34,567.00", "inr", 123_456_700],
    ["49,00 kr.", "dkk", 4900],
    ["-€49.00", "eur", 4900],
    ["\u2212€49.00", "eur", 4900],
    ["€49.00 EUR", "eur", 4900],
    ["\u200f49.00\u00a0₪", "ils", 4900],
  ])("reads %s in %s as %i", (text, currency, amount) => {
    expect(inCurrency(text, currency)).toBe(amount);
  });

  it.each([
    ["€49", "usd"],
    ["49 EUR", "jpy"],
    ["49.50", "jpy"],
    ["¥700", "eur"],
  ])("doesn't read %s as an amount in %s", (text, currency) => {
    expect(inCurrency(text, currency)).toBeUndefined();
  });

  it.each([
    "",
    "order",
    "order 49",
    "49 cups",
    "4.9.0",
    "1,2,345",
    "12 34",
    "€49 USD",
    "€ $ 49",
    "1234567890123456",
    "49.123456",
  ])("finds no amount in %j", (text) => {
    expect(amountsIn(text)).toEqual([]);
  });

  it("reads 1.234 both as thousands and as decimals", () => {
    expect(amountsIn("KWD 1.234").map(({ amount }) => amount)).toEqual([1_234_000, 1234]);
    expect(amountsIn("EUR 1.234").map(({ amount }) => amount)).toEqual([123_400]);
  });

  const amounts = fc.integer({ min: 1, max: maxAmountMinor });
  const finds = (text: string, currency: string, amount: number) =>
    amountsIn(text).some((found) => found.amount === amount && found.currencies.includes(currency));

  it.each(currencies)("reads every amount in %s as the dashboard shows it", (currency) => {
    fc.assert(
      fc.property(amounts, fc.boolean(), fc.boolean(), (amount, isNegative, hasCode) => {
        const shown = formatAmount(isNegative ? -amount : amount, currency, "en");
        return finds(hasCode ? `${shown} ${currency.toUpperCase()}` : shown, currency, amount);
      }),
      { numRuns: 20 },
    );
    expect(finds(formatAmount(maxAmountMinor, currency, "en"), currency, maxAmountMinor)).toBe(true);
  });

  it.each(["de", "de-CH", "fr", "en-IN", "pl", "sv", "pt", "es", "he"])("reads numbers as written in %s", (locale) => {
    fc.assert(
      fc.property(amounts, fc.constantFrom(...currencies), (amount, currency) => {
        const decimals = currencyExponent(currency);
        const format = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
        const shown = (amount / 10 ** decimals).toLocaleString(locale, format);
        return finds(`${shown}\u00a0${currency.toUpperCase()}`, currency, amount);
      }),
    );
    expect(finds(`${(1234.5).toLocaleString(locale)} EUR`, "eur", 123_450)).toBe(true);
  });
});
