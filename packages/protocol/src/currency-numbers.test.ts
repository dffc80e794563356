import codes from "currency-codes";
import { describe, expect, it } from "vitest";
import { currencyNumber, currencyOfNumber } from "./currency-numbers.ts";
import { isCurrency } from "./currency.ts";

const letters = "abcdefghijklmnopqrstuvwxyz".split("");
const every = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => `${a}${b}${c}`))).filter(isCurrency);
/** ISO 4217 list one of 2024-06-25, as npm's `currency-codes` has it, and what was added since: amendments 176 and 179. */
const published = new Map([
  ...codes.data.map(({ code, number }) => [code.toLowerCase(), number] as const),
  ["xcg", "532"] as const,
  ["xad", "396"] as const,
]);

describe("a currency's number", () => {
  it("is the one that ISO 4217 gives it, for every currency that can be charged in", () => {
    expect(every.map((code) => [code, currencyNumber(code)])).toEqual(every.map((code) => [code, published.get(code)]));
  });

  it("leads back to the currency, and no other number to any", () => {
    const numbers = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, "0"));
    const found = numbers.flatMap((number) => currencyOfNumber(number) ?? []);
    expect(found.toSorted()).toEqual(every);
  });

  it.each(["EUR", "", "xxx", "978", "__proto__"])("is not there for %j", (code) => {
    expect(() => currencyNumber(code)).toThrow(RangeError);
    expect(currencyOfNumber(code)).toBe(code === "978" ? "eur" : undefined);
  });
});
