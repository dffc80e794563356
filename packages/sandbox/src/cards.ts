/**
 * The bank's cards, as a table by the numbers that it publishes (`@oriel/protocol/test-cards`), and the one rule that
 * makes an outcome of it. Nothing here remembers anything.
 *
 * A number that is not in the table belongs to no account of this bank and is declined with `incorrect_number`, however
 * good its check digit is: a real card typed here by mistake must not look as if it had been charged.
 *
 * What a card does in 3-D Secure stands in `three-d-secure.ts`; which ranges are published for it, in `card-ranges.ts`.
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
import type { Refusals } from "./acquirer/book-entry.ts";
import type { Proven } from "./bank-secret.ts";
import type { CardFault } from "./faults/faults.ts";
import { threeDSecure, type Enrolment, type IssuerDecision } from "./three-d-secure.ts";

interface BankCard {
  /** What the acquirer answers to an authorisation. */
  account: "approved" | "needs challenge" | DeclineCode;
  /** How it takes part in 3-D Secure. Absent: it is in no range. */
  threeDSecure?: { enrolment: Enrolment; decision: IssuerDecision };
  /**
   * What becomes of a capture or a refund that were possible otherwise. Money that an authorisation takes at once needs
   * no capture.
   */
  refuses?: Refusals;
  /** How the bank misbehaves whenever an authorisation of this card is asked for. */
  fault?: CardFault;
}

const approved = { account: "approved" } as const satisfies BankCard;

const cards: ReadonlyMap<string, BankCard> = new Map<string, BankCard>([
  // Good ones, without 3-D Secure.
  ...[testCards.mastercard, ...Object.values(sharedTestCards)].map((number): [string, BankCard] => [number, approved]),

  // Declined, each with the code that it is named by.
  ...Object.entries(testCards).flatMap(([name, number]): [string, BankCard][] =>
    isDeclineCode(name) ? [[number, { account: name }]] : [],
  ),

  // Approved, and then a capture or a refund is declined.
  [troubleCards.capture_declined, { ...approved, refuses: { capture: "generic_decline" } }],
  [troubleCards.refund_declined, { ...approved, refuses: { refund: "generic_decline" } }],

  // Approved, by a bank in trouble.
  [troubleCards.timeout_before, { ...approved, fault: { fault: "timeout_before" } }], // and so not approved: it never comes to that
  [troubleCards.timeout_after, { ...approved, fault: { fault: "timeout_after" } }],
  [troubleCards.late, { ...approved, fault: { fault: "late" } }],
  [troubleCards.error_before, { ...approved, fault: { fault: "error_before", times: 1 } }], // the second try is fine

  // Those that show what 3-D Secure can come to.
  ...Object.entries(threeDSecureCards).flatMap(([scenario, numbers]) => {
    const card = threeDSecureCard(scenario as ThreeDSecureScenario); // the keys of that very table
    return numbers.map((number): [string, BankCard] => [number, card]);
  }),
]);

/**
 * What the acquirer answers to a card: its line in the table, unless it is unknown or no longer valid.
 *
 * @param proven what proof of authentication came with the request
 * @param nowMs milliseconds since 1970
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

/** What the account behind a number will say to a capture or a refund. */
export function refusalsOf(number: string): Refusals {
  return cards.get(number)?.refuses ?? {};
}

export function faultOf(number: string): CardFault | undefined {
  return cards.get(number)?.fault;
}

/** How one of the bank's cards takes part in 3-D Secure; undefined when it does not, or is none of the bank's. */
export function threeDSecureOf(number: string): BankCard["threeDSecure"] {
  return cards.get(number)?.threeDSecure;
}

/** Every number that takes part in 3-D Secure, and how. */
export function enrolledCards(): (Enrolment & { number: string })[] {
  return [...cards].flatMap(([number, card]) =>
    card.threeDSecure === undefined ? [] : [{ number, ...card.threeDSecure.enrolment }],
  );
}

function threeDSecureCard(scenario: ThreeDSecureScenario): BankCard {
  const { account = "approved", ...part } = threeDSecure[scenario];
  return part.enrolment === undefined ? { account } : { account, threeDSecure: part };
}
