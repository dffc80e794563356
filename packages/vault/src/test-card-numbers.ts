/**
 * The numbers that may be typed in test mode: those of the sandbox bank, which publishes them. Any other number may be
 * a real card's, typed by mistake or by somebody who tries stolen ones; test mode has no business with it and does not
 * keep it.
 */
import { sharedTestCards, testCards, threeDSecureCards, troubleCards } from "@oriel/protocol/test-cards";

const testCardNumbers: ReadonlySet<string> = new Set([
  ...[testCards, troubleCards, sharedTestCards].flatMap((cards): string[] => Object.values(cards)),
  ...Object.values(threeDSecureCards).flat(),
]);

export function isTestCardNumber(number: string): boolean {
  return testCardNumbers.has(number);
}
