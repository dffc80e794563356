import { describe, expect, test } from "vitest";
import { isCardNumber } from "@oriel/protocol/card";
import { declineCodes } from "@oriel/protocol/declines";
import {
  sharedTestCards,
  testCards,
  threeDSecureCards,
  troubleCards,
  type ThreeDSecureScenario,
} from "@oriel/protocol/test-cards";
import { adyenChallengeCards } from "./adyen/test-cards.ts";
import { cardRanges, isEnrolled } from "./card-ranges.ts";
import { faultOf, outcomeOf, refusalsOf, threeDSecureOf } from "./cards.ts";

const now = Date.UTC(2026, 0, 15);
const origin = "http://bank.localhost";
const outcome = (number: string, proven: Parameters<typeof outcomeOf>[1] = "nothing", nowMs = now) =>
  outcomeOf({ number, exp_month: 12, exp_year: 2030 }, proven, nowMs);

/** The published table of cards without 3-D Secure, with the acquirer's response and any later fault. */
const table: [number: string, outcome: string, trouble?: object][] = [
  ["5555555555554444", "approved"],
  ["4000000000000002", "generic_decline"],
  ["4000000000009995", "insufficient_funds"],
  ["4000000000006975", "card_velocity_exceeded"],
  ["4000000000009979", "stolen_card"],
  ["4000000000009987", "lost_card"],
  ["4100000000000019", "fraudulent"],
  ["4000000000000069", "expired_card"],
  ["4000000000000127", "incorrect_cvc"],
  ["4000000000000036", "incorrect_zip"],
  ["4000000000000028", "incorrect_address"],
  ["4000000000000119", "processing_error"],
  ["4000000000001018", "do_not_honor"],
  ["4000000000001026", "withdrawal_count_limit_exceeded"],
  ["4000000000001034", "incorrect_number"],
  ["4000000000001042", "invalid_number"],
  ["4000000000001059", "invalid_cvc"],
  ["4000000000001067", "invalid_expiry_month"],
  ["4000000000001075", "invalid_expiry_year"],
  ["4000000000001083", "authentication_required"],
  ["4000000000001091", "authentication_not_handled"],
  ["4000000000001109", "approve_with_id"],
  ["4000000000001117", "issuer_not_available"],
  ["4000000000001125", "reenter_transaction"],
  ["4000000000001133", "call_issuer"],
  ["4000000000001141", "card_not_supported"],
  ["4000000000001158", "currency_not_supported"],
  ["4000000000001166", "transaction_not_allowed"],
  ["4000000000001174", "duplicate_transaction"],
  ["4000000000001182", "merchant_blacklist"],
  ["4000000000001190", "pickup_card"],
  ["4000000000001208", "revocation_of_authorization"],
  ["4000000000001216", "revocation_of_all_authorizations"],
  ["4000000000001224", "stop_payment_order"],
  ["4000000000007015", "approved", { capture: "generic_decline" }],
  ["4000000000005126", "approved", { refund: "generic_decline" }],
  ["4000000000008013", "approved", { fault: "timeout_before" }],
  ["4000000000008021", "approved", { fault: "timeout_after" }],
  ["4000000000008039", "approved", { fault: "late" }],
  ["4000000000008047", "approved", { fault: "error_before", times: 1 }],
  ["4000002500001001", "approved"],
  ["5555552500001001", "approved"],
];

describe.each(table)("the card %s", (number, expected, trouble = {}) => {
  test("has a valid card number", () => {
    expect(isCardNumber(number)).toBe(true);
  });

  test(`gets ${expected}`, () => {
    expect(outcome(number)).toBe(expected);
  });

  test("has its published fault and no other", () => {
    expect({ ...refusalsOf(number), ...faultOf(number) }).toEqual(trouble);
  });

  test("doesn't take part in 3-D Secure and is in no published range", () => {
    expect(threeDSecureOf(number)).toBeUndefined();
    expect([isEnrolled(number, "2.2.0"), isEnrolled(number, "2.3.1")]).toEqual([false, false]);
  });
});

/** Acquirer responses for the scenarios that aren't always approved. */
const accounts: Partial<Record<ThreeDSecureScenario, [unproven: string, frictionless: string, challenge: string]>> = {
  challenge_then_declined: ["generic_decline", "generic_decline", "generic_decline"],
  challenge_then_insufficient_funds: ["insufficient_funds", "insufficient_funds", "insufficient_funds"],
  soft_decline: ["authentication_required", "authentication_required", "approved"],
  soft_decline_after_challenge: ["authentication_required", "authentication_required", "authentication_required"],
};

const scenarios = Object.entries(threeDSecureCards).flatMap(([scenario, numbers]) =>
  numbers.map((number): [string, ThreeDSecureScenario] => [number, scenario as ThreeDSecureScenario]),
);

describe.each(scenarios)("the card %s (%s)", (number, scenario) => {
  test("has a valid card number", () => {
    expect(isCardNumber(number)).toBe(true);
  });

  test("gets its scenario's acquirer response without proof, with proof and after a challenge", () => {
    const outcomes = (["nothing", "frictionless", "challenge"] as const).map((proven) => outcome(number, proven));
    expect(outcomes).toEqual(accounts[scenario] ?? ["approved", "approved", "approved"]);
    expect([refusalsOf(number), faultOf(number)]).toEqual([{}, undefined]);
  });

  test("is in exactly one published range for each of its scenario's versions and in none for the others", () => {
    const expected = {
      "2.2.0":
        scenario === "not_enrolled" || scenario === "network_not_supported" || scenario === "version_2_3_1" ? 0 : 1,
      "2.3.1":
        scenario === "not_enrolled" || scenario === "network_not_supported" || scenario === "version_2_2_0" ? 0 : 1,
    };
    for (const version of ["2.2.0", "2.3.1"] as const) {
      expect(
        rangesIn(version).filter(
          ({ start, end, versions }) => covers(start, end, number) && versions.includes(version),
        ),
      ).toHaveLength(expected[version]);
      expect(isEnrolled(number, version)).toBe(expected[version] === 1);
    }
  });

  test("behaves like the other numbers of its scenario", () => {
    expect(threeDSecureOf(number)).toBe(threeDSecureOf(threeDSecureCards[scenario][0]));
  });
});

test("only the published cards are without 3-D Secure", () => {
  const published = [testCards, troubleCards, sharedTestCards].flatMap((cards): string[] => Object.values(cards));
  const enrolled = new Set(scenarios.map(([number]) => number));
  expect(published.filter((number) => !enrolled.has(number)).sort()).toEqual(table.map(([number]) => number).sort());
});

test("no range starts or ends at one of the bank's cards, and each contains one", () => {
  const ranges = [...rangesIn("2.2.0"), ...rangesIn("2.3.1")];
  expect(ranges.length).toBeGreaterThan(10);
  for (const { start, end } of ranges) {
    expect(
      [...scenarios, ...table].map(([number]) => number).filter((number) => number === start || number === end),
    ).toEqual([]);
    const numbers = [...scenarios.map(([number]) => number), ...adyenChallengeCards];
    expect(numbers.some((number) => covers(start, end, number))).toBe(true);
  }
});

test("the ninth and tenth digits of the bank's own numbers encode their versions and method", () => {
  const said = { "00": "runs", "01": "none", "02": "silent", "03": "unframeable", "20": "runs", "30": "runs" } as const;
  const ours = scenarios.flatMap(([number]) => {
    const digits = /^40000090(\d\d)/.exec(number)?.[1];
    return digits === undefined || digits === "91" ? [] : [{ number, digits }];
  });
  expect(new Set(ours.map(({ digits }) => digits))).toEqual(new Set(Object.keys(said)));
  for (const { number, digits } of ours) {
    const versions = { "2": ["2.2.0"], "3": ["2.3.1"], "0": ["2.2.0", "2.3.1"] }[digits.slice(0, 1)];
    expect(threeDSecureOf(number)?.enrolment).toEqual({ versions, method: said[digits as keyof typeof said] });
  }
});

test("every decline code that a bank can return has a card", () => {
  const ours = /^(risk_rejected|authentication_(failed|rejected|canceled|timed_out|unavailable))$/;
  const reasons = table.map(([, said]) => said).filter((said) => said !== "approved");
  expect(reasons.sort()).toEqual(declineCodes.filter((code) => !ours.test(code)).sort());
});

test("an unknown number is declined as incorrect, whether its check digit is valid or not", () => {
  expect(outcome("4000000000000010")).toBe("incorrect_number");
  expect(outcome("4242424242424241")).toBe("incorrect_number");
});

test("a card is valid to the end of its month and declined as expired afterwards", () => {
  const card = { number: "4242424242424242", exp_month: 1, exp_year: 2026 };
  expect(outcomeOf(card, "nothing", Date.UTC(2026, 0, 31, 23))).toBe("approved");
  expect(outcomeOf(card, "nothing", Date.UTC(2026, 1, 3))).toBe("expired_card");
});

/** The published ranges of a version, in the same format for both versions. */
function rangesIn(version: "2.2.0" | "2.3.1"): { start: string; end: string; versions: string[] }[] {
  return cardRanges(version, origin).flatMap((range) => {
    if ("ranges" in range) {
      const versions = range.acsProtocolVersions.map((listed) => listed.version);
      return range.ranges.map(({ start, end }) => ({ start, end, versions }));
    }
    const { startRange: start, endRange: end, acsStartProtocolVersion: first, acsEndProtocolVersion: last } = range;
    return [{ start, end, versions: ["2.2.0", "2.3.1"].filter((listed) => first <= listed && listed <= last) }];
  });
}

function covers(start: string, end: string, number: string): boolean {
  return start.length === number.length && start <= number && number <= end;
}
