/**
 * The bank's published cards (`@oriel/protocol/test-cards`) by number, and the function that decides their outcome.
 * Stateless.
 *
 * A number outside the table has no account at this bank and is declined with `incorrect_number`, even with a valid
 * check digit. A real card that is entered by mistake must not appear to be charged.
 *
 * For 3-D Secure behavior see `three-d-secure.ts`, and for the published ranges `card-ranges.ts`.
 */
import type { AuthorizationRequest } from "@oriel/protocol/acquirer";
import { isExpiryInFuture } from "@oriel/protocol/card";
import { isDeclineCode, type DeclineCode } from "@oriel/protocol/declines";
import {
  sharedTestCards,
  testCards,
  threeDSecureCards,
  troubleCards,
  type ThreeDSecureScenario,
} from "@oriel/protocol/test-cards";
import type { Refusals } from "./acquirer/ledger-entry.ts";
import { adyenChallengeCards } from "./adyen/test-cards.ts";
import type { Proven } from "./bank-secret.ts";
import type { CardFault } from "./faults/faults.ts";
import { threeDSecure, type Enrolment, type IssuerDecision } from "./three-d-secure.ts";

interface BankCard {
  /** The acquirer's response to an authorization. */
  account: "approved" | "needs challenge" | DeclineCode;
  /** How the card takes part in 3-D Secure. Absent if it's in no range. */
  threeDSecure?: { enrolment: Enrolment; decision: IssuerDecision };
  /**
   * The outcome of otherwise valid captures and refunds. A capture that is part of the authorization isn't affected.
   */
  refuses?: Refusals;
  /** Fault for every authorization of this card. */
  fault?: CardFault;
}

const approved = { account: "approved" } as const satisfies BankCard;

const cards: ReadonlyMap<string, BankCard> = new Map<string, BankCard>([
  // Valid cards without 3-D Secure.
  ...[testCards.mastercard, ...Object.values(sharedTestCards)].map((number): [string, BankCard] => [number, approved]),

  // Declined with the code that the card is named after.
  ...Object.entries(testCards).flatMap(([name, number]): [string, BankCard][] =>
    isDeclineCode(name) ? [[number, { account: name }]] : [],
  ),

  // Approved, but a later capture or refund is declined.
  [troubleCards.capture_declined, { ...approved, refuses: { capture: "generic_decline" } }],
  [troubleCards.refund_declined, { ...approved, refuses: { refund: "generic_decline" } }],

  // Approved, but with a fault.
  [troubleCards.timeout_before, { ...approved, fault: { fault: "timeout_before" } }], // the fault comes first
  [troubleCards.timeout_after, { ...approved, fault: { fault: "timeout_after" } }],
  [troubleCards.late, { ...approved, fault: { fault: "late" } }],
  // The second attempt succeeds.
  [troubleCards.error_before, { ...approved, fault: { fault: "error_before", times: 1 } }],

  // Adyen's cards with 3-D Secure, for its simulator.
  ...adyenChallengeCards.map((number): [string, BankCard] => [number, threeDSecureCard("challenge")]),

  // The 3-D Secure scenarios.
  ...Object.entries(threeDSecureCards).flatMap(([scenario, numbers]) => {
    const card = threeDSecureCard(scenario as ThreeDSecureScenario); // the table's keys are scenarios
    return numbers.map((number): [string, BankCard] => [number, card]);
  }),
]);

/**
 * Returns the acquirer's response to a card: its row in the table, unless the card is unknown or expired.
 *
 * @param proven - What the request's proof of authentication shows.
 * @param nowMs - Milliseconds since 1970.
 */
export function outcomeOf(
  card: Pick<AuthorizationRequest["card"], "number" | "exp_month" | "exp_year">,
  proven: Proven,
  nowMs: number,
): "approved" | DeclineCode {
  const known = cards.get(card.number);
  if (known === undefined) return "incorrect_number";
  if (!isExpiryInFuture(card.exp_month, card.exp_year, nowMs)) return "expired_card";
  if (known.account === "needs challenge") return proven === "challenge" ? "approved" : "authentication_required";
  return known.account;
}

/** How the account will respond to a capture or a refund. */
export function refusalsOf(number: string): Refusals {
  return cards.get(number)?.refuses ?? {};
}

export function faultOf(number: string): CardFault | undefined {
  return cards.get(number)?.fault;
}

/**
 * How one of the bank's cards takes part in 3-D Secure. Undefined if it doesn't take part or isn't one of the bank's.
 */
export function threeDSecureOf(number: string): BankCard["threeDSecure"] {
  return cards.get(number)?.threeDSecure;
}

/** Every number that takes part in 3-D Secure, with its behavior. */
export function enrolledCards(): (Enrolment & { number: string })[] {
  return [...cards].flatMap(([number, card]) =>
    card.threeDSecure === undefined ? [] : [{ number, ...card.threeDSecure.enrolment }],
  );
}

function threeDSecureCard(scenario: ThreeDSecureScenario): BankCard {
  const { account = "approved", ...part } = threeDSecure[scenario];
  return part.enrolment === undefined ? { account } : { account, threeDSecure: part };
}
