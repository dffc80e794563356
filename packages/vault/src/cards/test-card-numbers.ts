/**
 * The card numbers allowed in test mode: those that the sandbox bank publishes, and those of the account's own acquirer. Any
 * other number could be a real card, entered by mistake or by someone testing stolen cards, so test mode doesn't store it.
 */
import { sharedTestCards, testCards, threeDSecureCards, troubleCards } from "@oriel/protocol/test-cards";
import type { Capabilities } from "../connectors/acquirer.ts";

const sandboxNumbers: ReadonlySet<string> = new Set([
  ...[testCards, troubleCards, sharedTestCards].flatMap((cards): string[] => Object.values(cards)),
  ...Object.values(threeDSecureCards).flat(),
]);

/** Whether test mode accepts this number for payments with this acquirer. */
export function isTestCardNumber(number: string, { testCards }: Pick<Capabilities, "testCards">): boolean {
  return sandboxNumbers.has(number) || testCards.includes(number);
}
