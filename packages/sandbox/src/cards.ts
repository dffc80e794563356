/**
 * The bank's cards, as a table, and the one rule that makes an outcome of it. Nothing here remembers anything.
 *
 * A number that is not in the table belongs to no account of this bank and is declined with `incorrect_number`, however good its check
 * digit is: a real card typed here by mistake must not look as if it had been charged.
 *
 * A card takes part in 3-D Secure when it stands in one of {@link cardRanges}. A range begins and ends at numbers that are no card's, and
 * covers no card that the table calls `none`.
 */
import { isExpiryInFuture } from "@oriel/protocol/card";
import type { DeclineCode } from "@oriel/protocol/errors";
import { messageVersion, type CardRange } from "@oriel/protocol/threeds";

interface BankCard {
  /** What the acquirer answers. */
  outcome: "approved" | DeclineCode;
  /** What the ACS does with an AReq. `none`: the card is in no range. */
  threeDSecure: "none" | "frictionless" | "challenge";
}

const cards: ReadonlyMap<string, BankCard> = new Map([
  ["4242424242424242", { outcome: "approved", threeDSecure: "none" }], // Visa
  ["5555555555554444", { outcome: "approved", threeDSecure: "none" }], // Mastercard
  ["4000000032200000", { outcome: "approved", threeDSecure: "frictionless" }], // Visa, range with a 3DS Method
  ["4000002760003184", { outcome: "approved", threeDSecure: "challenge" }], // Visa, range with a 3DS Method
  ["5200000000001005", { outcome: "approved", threeDSecure: "frictionless" }], // Mastercard, range without a 3DS Method
  ["4000000000000002", { outcome: "generic_decline", threeDSecure: "none" }],
  ["4000000000009995", { outcome: "insufficient_funds", threeDSecure: "none" }],
  ["4000000000009979", { outcome: "stolen_card", threeDSecure: "none" }],
  ["4000000000009987", { outcome: "lost_card", threeDSecure: "none" }],
  ["4000000000000069", { outcome: "expired_card", threeDSecure: "none" }],
  ["4000000000000127", { outcome: "incorrect_cvc", threeDSecure: "none" }],
  ["4000000000000119", { outcome: "processing_error", threeDSecure: "none" }],
] satisfies [string, BankCard][]);

const ranges = [
  { startRange: "4000000032000000", endRange: "4000000032999999", hasMethod: true },
  { startRange: "4000002760000000", endRange: "4000002760009999", hasMethod: true },
  { startRange: "5200000000000000", endRange: "5200000000009999", hasMethod: false },
] as const;

/**
 * What the acquirer answers to a card: its line in the table, unless it is unknown or no longer valid.
 *
 * @param nowMs milliseconds since 1970
 */
export function outcomeOf(
  card: { number: string; exp_month: number; exp_year: number },
  nowMs: number,
): "approved" | DeclineCode {
  const known = cards.get(card.number);
  if (known === undefined) return "incorrect_number";
  if (!isExpiryInFuture(card.exp_month, card.exp_year, nowMs)) return "expired_card";
  return known.outcome;
}

/** What the ACS does with a number: `none` outside every range, `unknown` inside a range without being one of the bank's cards. */
export function threeDSecureOf(number: string): BankCard["threeDSecure"] | "unknown" {
  if (!ranges.some((range) => isInRange(number, range))) return "none";
  return cards.get(number)?.threeDSecure ?? "unknown";
}

/** The ranges as a PRes lists them. */
export function cardRanges(threeDSMethodURL: string): CardRange[] {
  return ranges.map(({ startRange, endRange, hasMethod }) => ({
    startRange,
    endRange,
    acsStartProtocolVersion: messageVersion,
    acsEndProtocolVersion: messageVersion,
    ...(hasMethod ? { threeDSMethodURL } : {}),
  }));
}

function isInRange(number: string, range: { startRange: string; endRange: string }): boolean {
  return number.length === range.startRange.length && number >= range.startRange && number <= range.endRange;
}
