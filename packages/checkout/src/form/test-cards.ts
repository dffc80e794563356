/**
 * The sandbox bank's cards, as the test panel lists them. The numbers are public, and a live session never fetches
 * this.
 */
import { sharedTestCards, testCards, threeDSecureCards, troubleCards } from "@oriel/protocol/test-cards";

export interface TestCard {
  /** What the card does, in a word or two. */
  does: string;
  number: string;
}

const {
  visa,
  mastercard,
  visa_3ds_frictionless,
  visa_3ds_challenge,
  mastercard_3ds_frictionless: _too,
  ...declined
} = testCards;
const { not_enrolled: _visa, network_not_supported, ...threeDSecure } = threeDSecureCards;
const withChallenge = /^challenge|^decoupled|^soft|^version/;

/** In display order. */
export const testCardGroups: readonly (readonly [name: string, cards: readonly TestCard[]])[] = [
  [
    "Approved",
    [
      { does: "Visa", number: visa },
      { does: "Mastercard", number: mastercard },
      { does: "American Express", number: network_not_supported[0] },
      { does: "CB or Visa", number: sharedTestCards.cartes_bancaires_visa },
      { does: "CB or Mastercard", number: sharedTestCards.cartes_bancaires_mastercard },
    ],
  ],
  ["Declined", named(declined)],
  ["3-D Secure, frictionless", named(threeDSecure, (name) => !withChallenge.test(name))],
  ["3-D Secure, challenge", named(threeDSecure, (name) => withChallenge.test(name))],
  ["Errors and delays", named(troubleCards)],
];

/** By the names that the host page's `testScenario` accepts: four aliases, and every name in the sandbox's list. */
export const scenarios: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries({ ...declined, ...troubleCards, ...threeDSecure }).map(([name, of]) => [name, firstOf(of)]),
  ),
  approved: visa,
  declined: declined.generic_decline,
  frictionless: visa_3ds_frictionless,
  challenge: visa_3ds_challenge,
};

/** An expiry date that every sandbox card accepts: December, three years from now. */
export function testExpiry(nowMs: number): string {
  return `12 / ${String((new Date(nowMs).getUTCFullYear() + 3) % 100).padStart(2, "0")}`;
}

function named(
  cards: Readonly<Record<string, string | readonly string[]>>,
  isWanted: (name: string) => boolean = () => true,
): TestCard[] {
  return Object.entries(cards)
    .filter(([name]) => isWanted(name))
    .map(([name, of]) => ({ does: inWords(name), number: firstOf(of) }));
}

function firstOf(numbers: string | readonly string[]): string {
  return typeof numbers === "string" ? numbers : (numbers[0] ?? "");
}

/** Turns `incorrect_cvc` into "Incorrect CVC". */
function inWords(name: string): string {
  const words = name.replaceAll("_", " ").replace(/\b(cvc|zip|id)\b/g, (short) => short.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}
