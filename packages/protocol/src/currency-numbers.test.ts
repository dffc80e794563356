import { describe, expect, it } from "vitest";
import { makeTable, published } from "../build/currency-numbers.ts";
import { currencyNumberTable } from "./currency-number-table.ts";
import { currencyNumber, currencyOfNumber } from "./currency-numbers.ts";
import { isCurrency } from "./currency.ts";

const letters = "abcdefghijklmnopqrstuvwxyz".split("");
const every = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => `${a}${b}${c}`))).filter(isCurrency);

describe("currency numbers", () => {
  it("match ISO 4217 for every supported currency", () => {
    expect(every.map((code) => [code, currencyNumber(code)])).toEqual(
      every.map((code) => [code, published.get(code)?.number]),
    );
  });

  it("come from the table that `npm run currency-numbers` generates", () => {
    expect(currencyNumberTable).toBe(makeTable());
  });

  it("map back to their currency, and other numbers map to none", () => {
    const numbers = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, "0"));
    const found = numbers.flatMap((number) => currencyOfNumber(number) ?? []);
    expect(found.toSorted()).toEqual(every);
  });

  it.each(["EUR", "", "xxx", "978", "__proto__"])("throw for the unknown code %j", (code) => {
    expect(() => currencyNumber(code)).toThrow(RangeError);
    expect(currencyOfNumber(code)).toBe(code === "978" ? "eur" : undefined);
  });
});
