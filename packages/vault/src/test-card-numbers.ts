/**
 * The card numbers allowed in test mode: those that the sandbox bank publishes. Any other number could be a real card,
 * entered by mistake or by someone testing stolen cards, so test mode doesn't store it.
 */
import { sharedTestCards, testCards, threeDSecureCards, troubleCards } from "@oriel/protocol/test-cards";

const testCardNumbers: ReadonlySet<string> = new Set([
  ...[testCards, troubleCards, sharedTestCards].flatMap((cards): string[] => Object.values(cards)),
  ...Object.values(threeDSecureCards).flat(),
]);

export function isTestCardNumber(number: string): boolean {
  return testCardNumbers.has(number);
}
