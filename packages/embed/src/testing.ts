/**
 * `@oriel/embed/testing`: for a merchant's own tests, never for a page.
 *
 * - {@link mockCheckout}: a checkout without a frame for unit tests. This module also stands in for `@oriel/embed` as a
 *   whole, for code that imports that: see testing/mock-checkout.ts.
 * - {@link fillCard}, {@link pay}, {@link completeChallenge}, {@link resultText}: for Playwright. The same for Cypress:
 *   {@link cypress}.
 * - {@link testIds}, {@link testCards}: what those two go by.
 */
export * from "./testing/mock-checkout.ts";
export { completeChallenge, fillCard, pay, resultText } from "./testing/playwright.ts";
export type { LocatorLike, PageLike } from "./testing/playwright.ts";
export * as cypress from "./testing/cypress.ts";
export { testCard, testCards } from "./testing/test-cards.ts";
export type { TestCard, TestCardName } from "./testing/test-cards.ts";
export { testIds } from "./testing/test-ids.ts";
