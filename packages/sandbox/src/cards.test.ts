import { isCardNumber } from "@oriel/protocol/card";
import { declineCodes } from "@oriel/protocol/declines";
import { describe, expect, test } from "vitest";
import { cardRanges, faultOf, outcomeOf, refusalsOf, threeDSecureOf } from "./cards.ts";

const now = Date.UTC(2026, 0, 15);

/** The published table, number by number: what the acquirer answers, the part in 3-D Secure, the trouble that comes later. */
const table: [number: string, outcome: string, threeDSecure: string, trouble?: object][] = [
  ["4242424242424242", "approved", "none"],
  ["5555555555554444", "approved", "none"],
  ["4000000032200000", "approved", "frictionless"],
  ["4000002760003184", "approved", "challenge"],
  ["5200000000001005", "approved", "frictionless"],
  ["4000000000000002", "generic_decline", "none"],
  ["4000000000009995", "insufficient_funds", "none"],
  ["4000000000006975", "card_velocity_exceeded", "none"],
  ["4000000000009979", "stolen_card", "none"],
  ["4000000000009987", "lost_card", "none"],
  ["4100000000000019", "fraudulent", "none"],
  ["4000000000000069", "expired_card", "none"],
  ["4000000000000127", "incorrect_cvc", "none"],
  ["4000000000000036", "incorrect_zip", "none"],
  ["4000000000000028", "incorrect_address", "none"],
  ["4000000000000119", "processing_error", "none"],
  ["4000000000001018", "do_not_honor", "none"],
  ["4000000000001026", "withdrawal_count_limit_exceeded", "none"],
  ["4000000000001034", "incorrect_number", "none"],
  ["4000000000001042", "invalid_number", "none"],
  ["4000000000001059", "invalid_cvc", "none"],
  ["4000000000001067", "invalid_expiry_month", "none"],
  ["4000000000001075", "invalid_expiry_year", "none"],
  ["4000000000001083", "authentication_required", "none"],
  ["4000000000001091", "authentication_not_handled", "none"],
  ["4000000000001109", "approve_with_id", "none"],
  ["4000000000001117", "issuer_not_available", "none"],
  ["4000000000001125", "reenter_transaction", "none"],
  ["4000000000001133", "call_issuer", "none"],
  ["4000000000001141", "card_not_supported", "none"],
  ["4000000000001158", "currency_not_supported", "none"],
  ["4000000000001166", "transaction_not_allowed", "none"],
  ["4000000000001174", "duplicate_transaction", "none"],
  ["4000000000001182", "merchant_blacklist", "none"],
  ["4000000000001190", "pickup_card", "none"],
  ["4000000000001208", "revocation_of_authorization", "none"],
  ["4000000000001216", "revocation_of_all_authorizations", "none"],
  ["4000000000001224", "stop_payment_order", "none"],
  ["4000000000007015", "approved", "none", { capture: "generic_decline" }],
  ["4000000000005126", "approved", "none", { refund: "generic_decline" }],
  ["4000000000008013", "approved", "none", { fault: "timeout_before" }],
  ["4000000000008021", "approved", "none", { fault: "timeout_after" }],
  ["4000000000008039", "approved", "none", { fault: "late" }],
  ["4000000000008047", "approved", "none", { fault: "error_before", times: 1 }],
];

describe.each(table)("the card %s", (number, outcome, threeDSecure, trouble = {}) => {
  test("is a number that a card form accepts", () => {
    expect(isCardNumber(number)).toBe(true);
  });

  test(`is answered with ${outcome}`, () => {
    expect(outcomeOf({ number, exp_month: 12, exp_year: 2030 }, now)).toBe(outcome);
  });

  test("makes the trouble that it is published for, and no other", () => {
    expect({ ...refusalsOf(number), ...faultOf(number) }).toEqual(trouble);
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

test("every reason that a bank can have to decline has a card", () => {
  const ours = /^(risk_rejected|authentication_(failed|rejected|canceled|timed_out|unavailable))$/;
  const reasons = table.map(([, outcome]) => outcome).filter((outcome) => outcome !== "approved");
  expect(reasons.sort()).toEqual(declineCodes.filter((code) => !ours.test(code)).sort());
});

test("the last four digits tell the cards apart", () => {
  expect(new Set(table.map(([number]) => number.slice(-4))).size).toBe(table.length);
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
