import { describe, expect, it } from "vitest";
import { cardBrand } from "@oriel/protocol/card";
import { sharedTestCards, testCards } from "@oriel/protocol/test-cards";
import { sharedCard } from "./co-badged-cards.ts";

describe("the table of co-badged cards", () => {
  it("recognizes the sandbox's two cards by their first eight digits, but not by seven", () => {
    expect(sharedCard(sharedTestCards.cartes_bancaires_visa.slice(0, 8))).toEqual(["visa", "cartes_bancaires"]);
    expect(sharedCard(sharedTestCards.cartes_bancaires_mastercard)).toEqual(["mastercard", "cartes_bancaires"]);
    expect(sharedCard(sharedTestCards.cartes_bancaires_visa.slice(0, 7))).toBeNull();
  });

  it.each([
    ["49781234", ["visa", "cartes_bancaires"]],
    ["51312345", ["mastercard", "cartes_bancaires"]],
    ["45710000", ["visa", "dankort"]],
    ["67030000", ["maestro", "bancontact"]],
  ])("recognizes %s", (digits, networks) => {
    expect(sharedCard(digits)).toEqual(networks);
  });

  it.each(["49790000", "51320000", "45720000", "67040000", "14571000", "", testCards.visa, testCards.generic_decline])(
    "offers no choice for %j",
    (digits) => {
      expect(sharedCard(digits)).toBeNull();
    },
  );

  it("includes the number's own brand in each pair", () => {
    for (const digits of ["49701234", "40000025", "51312345", "55555525", "45710000", "67030000"]) {
      expect(sharedCard(digits)?.[0]).toBe(cardBrand(digits));
    }
  });
});
