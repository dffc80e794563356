import { isCardNumber } from "@oriel/protocol/card";
import { describe, expect, test } from "vitest";
import { cardRanges, outcomeOf, threeDSecureOf } from "./cards.ts";

const now = Date.UTC(2026, 0, 15);

/** The published table, number by number. */
const table = [
  ["4242424242424242", "approved", "none"],
  ["5555555555554444", "approved", "none"],
  ["4000000032200000", "approved", "frictionless"],
  ["4000002760003184", "approved", "challenge"],
  ["5200000000001005", "approved", "frictionless"],
  ["4000000000000002", "generic_decline", "none"],
  ["4000000000009995", "insufficient_funds", "none"],
  ["4000000000009979", "stolen_card", "none"],
  ["4000000000009987", "lost_card", "none"],
  ["4000000000000069", "expired_card", "none"],
  ["4000000000000127", "incorrect_cvc", "none"],
  ["4000000000000119", "processing_error", "none"],
] as const;

describe.each(table)("the card %s", (number, outcome, threeDSecure) => {
  test("is a number that a card form accepts", () => {
    expect(isCardNumber(number)).toBe(true);
  });

  test(`is answered with ${outcome}`, () => {
    expect(outcomeOf({ number, exp_month: 12, exp_year: 2030 }, now)).toBe(outcome);
  });

  test(`has 3-D Secure: ${threeDSecure}`, () => {
    expect(threeDSecureOf(number)).toBe(threeDSecure);
  });

  test("is in a published range exactly if it has 3-D Secure", () => {
    const covering = cardRanges("http://bank.localhost/acs/method").filter(
      ({ startRange, endRange }) => startRange <= number && number <= endRange,
    );
    expect(covering).toHaveLength(threeDSecure === "none" ? 0 : 1);
  });

  test("is not written out in a published range", () => {
    expect(JSON.stringify(cardRanges("http://bank.localhost/acs/method"))).not.toContain(number);
  });
});

test("a number of nobody's is declined as incorrect, with a good check digit or a bad one", () => {
  expect(outcomeOf({ number: "4111111111111111", exp_month: 12, exp_year: 2030 }, now)).toBe("incorrect_number");
  expect(outcomeOf({ number: "4242424242424241", exp_month: 12, exp_year: 2030 }, now)).toBe("incorrect_number");
});

test("a card is good to the end of its month and declined as expired afterwards", () => {
  const card = { number: "4242424242424242", exp_month: 1, exp_year: 2026 };
  expect(outcomeOf(card, Date.UTC(2026, 0, 31, 23))).toBe("approved");
  expect(outcomeOf(card, Date.UTC(2026, 1, 3))).toBe("expired_card");
});

test("a number inside a range that is no card of the bank's is unknown to the ACS", () => {
  expect(threeDSecureOf("4000002760003192")).toBe("unknown");
});

test("the two Visa ranges have a 3DS Method and the Mastercard range has none", () => {
  const addresses = cardRanges("http://bank.localhost/acs/method").map((range) => range.threeDSMethodURL);
  expect(addresses).toEqual(["http://bank.localhost/acs/method", "http://bank.localhost/acs/method", undefined]);
});
