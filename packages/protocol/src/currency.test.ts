import { describe, expect, it } from "vitest";
import { published } from "../build/currency-numbers.ts";
import { currencyExponent, formatAmount, isCurrency } from "./currency.ts";

/**
 * In ISO 4217, but not chargeable: metals, bond units, units of account, test codes and "no currency".
 */
const noMoney = ["xag", "xau", "xba", "xbb", "xbc", "xbd", "xdr", "xpd", "xpt", "xsu", "xts", "xua", "xxx"];
/** Withdrawn, but still in the list of `currency-codes`: ANG (2025), BGN (2026), CUC (2021). */
const withdrawn = ["ang", "bgn", "cuc"];

const letters = "abcdefghijklmnopqrstuvwxyz".split("");
const every = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => `${a}${b}${c}`)));

describe("currencies", () => {
  it("are those of ISO 4217, except codes that aren't money or were withdrawn", () => {
    const expected = [...published.keys()].filter((code) => ![...noMoney, ...withdrawn].includes(code));
    expect(every.filter((code) => isCurrency(code))).toEqual(expected.sort());
  });

  it("have the decimals of ISO 4217", () => {
    const ours = every.filter(isCurrency);
    expect(ours.map((code) => [code, currencyExponent(code)])).toEqual(
      ours.map((code) => [code, published.get(code)?.digits]),
    );
  });

  it.each([
    ["jpy", 0],
    ["eur", 2],
    ["huf", 2],
    ["kwd", 3],
    ["clf", 4],
  ])("include %s with %i decimals", (code, decimals) => {
    expect(currencyExponent(code)).toBe(decimals);
  });

  it.each(["", "EUR", "eu", "euro", "e r", "etb eur", "xxx", "xau", "constructor", "__proto__"])(
    "don't include %j",
    (code) => {
      expect(isCurrency(code)).toBe(false);
      expect(() => currencyExponent(code)).toThrow(RangeError);
    },
  );
});

describe("formatAmount", () => {
  it.each([
    [4900, "eur", "€49.00"],
    [4900, "jpy", "¥4,900"],
    [4900, "huf", "HUF 49.00"],
    [4900, "kwd", "KWD 4.900"],
    [4900, "clf", "CLF 0.4900"],
    [1, "eur", "€0.01"],
    [999_999_999_999, "usd", "$9,999,999,999.99"],
  ])("formats %i in %s as %s", (amount, currency, text) => {
    expect(formatAmount(amount, currency, "en").replace(/\u00A0/g, " ")).toBe(text);
  });
});
