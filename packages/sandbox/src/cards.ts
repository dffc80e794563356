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
import type { DeclineCode } from "@oriel/protocol/declines";
import { messageVersion, type CardRange } from "@oriel/protocol/threeds";
import type { Refusals } from "./acquirer/book-entry.ts";
import type { CardFault } from "./faults/faults.ts";

interface BankCard {
  /** What the acquirer answers to an authorisation. */
  outcome: "approved" | DeclineCode;
  /** What the ACS does with an AReq. `none`: the card is in no range. */
  threeDSecure: "none" | "frictionless" | "challenge";
  /** What becomes of a capture or a refund that were possible otherwise. Money that an authorisation takes at once needs no capture. */
  refuses?: Refusals;
  /** How the bank misbehaves whenever an authorisation of this card is asked for. */
  fault?: CardFault;
}

const approved = { outcome: "approved", threeDSecure: "none" } as const satisfies BankCard;
const declined = (outcome: DeclineCode): BankCard => ({ outcome, threeDSecure: "none" });

/** The last four digits tell the cards apart, too. */
const cards: ReadonlyMap<string, BankCard> = new Map<string, BankCard>([
  // Good ones.
  ["4242424242424242", approved], // Visa
  ["5555555555554444", approved], // Mastercard
  ["4000000032200000", { outcome: "approved", threeDSecure: "frictionless" }], // Visa, range with a 3DS Method
  ["4000002760003184", { outcome: "approved", threeDSecure: "challenge" }], // Visa, range with a 3DS Method
  ["5200000000001005", { outcome: "approved", threeDSecure: "frictionless" }], // Mastercard, range without a 3DS Method

  // Declined, under the numbers that the field knows.
  ["4000000000000002", declined("generic_decline")],
  ["4000000000009995", declined("insufficient_funds")],
  ["4000000000006975", declined("card_velocity_exceeded")],
  ["4000000000009979", declined("stolen_card")],
  ["4000000000009987", declined("lost_card")],
  ["4100000000000019", declined("fraudulent")],
  ["4000000000000069", declined("expired_card")],
  ["4000000000000127", declined("incorrect_cvc")],
  ["4000000000000036", declined("incorrect_zip")],
  ["4000000000000028", declined("incorrect_address")],
  ["4000000000000119", declined("processing_error")],

  // Declined, for all other reasons: 101, 102, 103... and a check digit.
  ["4000000000001018", declined("do_not_honor")],
  ["4000000000001026", declined("withdrawal_count_limit_exceeded")],
  ["4000000000001034", declined("incorrect_number")],
  ["4000000000001042", declined("invalid_number")],
  ["4000000000001059", declined("invalid_cvc")],
  ["4000000000001067", declined("invalid_expiry_month")],
  ["4000000000001075", declined("invalid_expiry_year")],
  ["4000000000001083", declined("authentication_required")],
  ["4000000000001091", declined("authentication_not_handled")],
  ["4000000000001109", declined("approve_with_id")],
  ["4000000000001117", declined("issuer_not_available")],
  ["4000000000001125", declined("reenter_transaction")],
  ["4000000000001133", declined("call_issuer")],
  ["4000000000001141", declined("card_not_supported")],
  ["4000000000001158", declined("currency_not_supported")],
  ["4000000000001166", declined("transaction_not_allowed")],
  ["4000000000001174", declined("duplicate_transaction")],
  ["4000000000001182", declined("merchant_blacklist")],
  ["4000000000001190", declined("pickup_card")],
  ["4000000000001208", declined("revocation_of_authorization")],
  ["4000000000001216", declined("revocation_of_all_authorizations")],
  ["4000000000001224", declined("stop_payment_order")],

  // Approved, and then a capture or a refund is declined.
  ["4000000000007015", { ...approved, refuses: { capture: "generic_decline" } }],
  ["4000000000005126", { ...approved, refuses: { refund: "generic_decline" } }],

  // Approved, by a bank in trouble: 801, 802... and a check digit.
  ["4000000000008013", { ...approved, fault: { fault: "timeout_before" } }], // and so not approved: it never comes to that
  ["4000000000008021", { ...approved, fault: { fault: "timeout_after" } }],
  ["4000000000008039", { ...approved, fault: { fault: "late" } }],
  ["4000000000008047", { ...approved, fault: { fault: "error_before", times: 1 } }], // the second try is fine
]);

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

/** What the account behind a number will say to a capture or a refund. */
export function refusalsOf(number: string): Refusals {
  return cards.get(number)?.refuses ?? {};
}

export function faultOf(number: string): CardFault | undefined {
  return cards.get(number)?.fault;
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
