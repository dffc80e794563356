import { describe, expect, it } from "vitest";
import { cardBrand } from "@oriel/protocol/card";
import { sharedTestCards, testCards } from "@oriel/protocol/test-cards";
import { sharedCard } from "./shared-cards.ts";

describe("the table of shared cards", () => {
  it("knows the sandbox's two by their first eight digits, and not by seven", () => {
    expect(sharedCard(sharedTestCards.cartes_bancaires_visa.slice(0, 8))).toEqual(["visa", "cartes_bancaires"]);
    expect(sharedCard(sharedTestCards.cartes_bancaires_mastercard)).toEqual(["mastercard", "cartes_bancaires"]);
    expect(sharedCard(sharedTestCards.cartes_bancaires_visa.slice(0, 7))).toBeNull();
  });

  it.each([
    ["49781234", ["visa", "cartes_bancaires"]],
    ["51312345", ["mastercard", "cartes_bancaires"]],
    ["45710000", ["visa", "dankort"]],
    ["67030000", ["maestro", "bancontact"]],
  ])("knows %s", (digits, networks) => {
    expect(sharedCard(digits)).toEqual(networks);
  });

  it.each(["49790000", "51320000", "45720000", "67040000", "14571000", "", testCards.visa, testCards.generic_decline])(
    "has no choice for %s",
    (digits) => {
      expect(sharedCard(digits)).toBeNull();
    },
  );

  it("names the brand that the number has, of the two", () => {
    for (const digits of ["49701234", "40000025", "51312345", "55555525", "45710000", "67030000"]) {
      expect(sharedCard(digits)?.[0]).toBe(cardBrand(digits));
    }
  });
});
