import { describe, expect, it } from "vitest";
import { cardBrand, isCardNumber } from "@oriel/protocol/card";
import { adyenTestCards } from "./test-cards.ts";

describe("Adyen's test cards", () => {
  it("are distinct numbers that the form accepts", () => {
    expect(adyenTestCards.filter((number) => !isCardNumber(number))).toEqual([]);
    expect(new Set(adyenTestCards).size).toBe(adyenTestCards.length);
  });

  it("are of three networks", () => {
    expect(new Set(adyenTestCards.map(cardBrand))).toEqual(new Set(["visa", "mastercard", "amex"]));
  });
});
