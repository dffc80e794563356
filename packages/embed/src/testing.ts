/**
 * `@oriel/embed/testing`: helpers for your tests. Don't use it in a page.
 *
 * - {@link mockCheckout}: a checkout without an iframe for unit tests. This module can also replace `@oriel/embed` in
 *   code that imports it: see testing/mock-checkout.ts.
 * - {@link fillCard}, {@link pay}, {@link completeChallenge}, {@link resultText}: for Playwright.
 * - {@link cypress}: the same for Cypress.
 * - {@link testIds}, {@link testCards}: the form's test IDs and the sandbox bank's cards.
 */
export * from "./testing/mock-checkout.ts";
export { completeChallenge, fillCard, pay, resultText } from "./testing/playwright.ts";
export type { LocatorLike, PageLike } from "./testing/playwright.ts";
export * as cypress from "./testing/cypress.ts";
export { testCard, testCards } from "./testing/test-cards.ts";
export type { TestCard, TestCardName } from "./testing/test-cards.ts";
export { testIds } from "./testing/test-ids.ts";
