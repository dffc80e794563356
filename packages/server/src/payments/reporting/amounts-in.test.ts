/** Tests how search texts are read as amounts. */
import { describe, expect, it } from "vitest";
import { amountsIn } from "./amounts-in.ts";

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

  it.each(["", "order", "order 49", "49 cups", "4.9.0", "1,23,456", "12 34", "1234567890123456", "-5", "49.123456"])(
    "finds no amount in %j",
    (text) => {
      expect(amountsIn(text)).toEqual([]);
    },
  );
});
