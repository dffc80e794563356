import { describe, expect, it } from "vitest";
import { currenciesWithDecimals, maxAmountMinor } from "@oriel/protocol/currency";
import { adyenDecimals } from "../../../test/adyen-decimals.ts";
import { fromAdyenAmount, toAdyenAmount } from "./amounts.ts";

const ours = ([0, 2, 3, 4] as const).flatMap((decimals) =>
  currenciesWithDecimals(decimals).map((currency) => ({ currency, decimals })),
);

const refused = Object.keys(adyenDecimals).filter((currency) => adyenDecimals[currency] === null);

describe("amounts", () => {
  it("has an expectation for every currency", () => {
    expect(Object.keys(adyenDecimals).sort()).toEqual(ours.map(({ currency }) => currency).sort());
  });

  it.each(ours.filter(({ currency }) => adyenDecimals[currency] !== null))(
    "converts 123 units of $currency to Adyen's unit and back",
    ({ currency, decimals }) => {
      const money = { amount: 123 * 10 ** decimals, currency };
      const theirs = { value: 123 * 10 ** (adyenDecimals[currency] ?? NaN), currency: currency.toUpperCase() };
      expect(toAdyenAmount(money)).toEqual(theirs);
      expect(fromAdyenAmount(theirs.value, theirs.currency)).toEqual(money);
    },
  );

  it.each([...refused, "xxx", "ang", "constructor", ""])("refuses %j", (currency) => {
    expect(toAdyenAmount({ amount: 100, currency })).toBeNull();
    expect(fromAdyenAmount(100, currency.toUpperCase())).toBeNull();
  });

  it.each([
    ["idr", 15050, null],
    ["idr", 15000, 150],
    ["cve", 1, null],
    ["cve", 100, 1],
    ["clp", 1, 100],
    ["isk", 1, 100],
    ["eur", 1, 1],
    ["jpy", 1, 1],
    ["eur", 0, 0],
  ])("converts %s %i to %j", (currency, amount, value) => {
    expect(toAdyenAmount({ amount, currency })?.value ?? null).toBe(value);
  });

  it("converts the largest amount exactly", () => {
    expect(toAdyenAmount({ amount: maxAmountMinor, currency: "clp" })?.value).toBe(99_999_999_999_900);
  });

  it.each([
    [101, "ISK"],
    [50, "CLP"],
    [-1, "EUR"],
    [1.5, "EUR"],
    [2 ** 53, "EUR"],
    [2 ** 53 - 1, "IDR"],
    ["100", "EUR"],
    [100, "eur"],
    [100, null],
  ])("refuses to read %j %j", (value, currency) => {
    expect(fromAdyenAmount(value, currency)).toBeNull();
  });

  it("refuses to send a currency in uppercase", () => {
    expect(toAdyenAmount({ amount: 100, currency: "EUR" })).toBeNull();
  });

  it.each([-1, 0.5, NaN, Infinity, 2 ** 53])("refuses to send %j", (amount) => {
    expect(toAdyenAmount({ amount, currency: "eur" })).toBeNull();
  });
});
