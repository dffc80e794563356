/**
 * Helpers for Cypress, which are passed `cy` instead of importing it. Only for test mode, with the sandbox bank's
 * cards.
 *
 * Requirements: Cypress runs inside the page and can't access cross-origin iframes, and `cy.origin` doesn't enter
 * iframes. To test the form in an iframe, set `chromeWebSecurity: false` (Chromium only). For {@link fillCard}, {@link
 * pay} and {@link resultText}, a proxy that serves the shop and the service from one origin also works. The issuer's
 * iframe always has its own origin, so {@link completeChallenge} always needs `chromeWebSecurity: false`. With default
 * settings, test the redirect instead: `cy.origin(service, ...)` and `cy.get` with `testIds`.
 */
import { bankCodes, fieldsOf, type TestCard, type TestCardName } from "./test-cards.ts";
import { byTestId, frames } from "./test-ids.ts";

/** The part of a Cypress chain that the helpers use. */
export interface ChainLike {
  its(path: string): ChainLike;
  should(chainer: string): ChainLike;
  then(next: (subject: unknown) => unknown): ChainLike;
  find(selector: string): ChainLike;
  last(): ChainLike;
  clear(): ChainLike;
  type(text: string, options?: { log?: boolean }): ChainLike;
  click(): ChainLike;
  invoke(method: string): ChainLike;
}

/** The part of `cy` that the helpers use. */
export interface CyLike {
  get(selector: string, options?: { includeShadowDom?: boolean; timeout?: number }): ChainLike;
  wrap(subject: unknown, options?: { log?: boolean }): ChainLike;
}

/**
 * Types a card into the form in the iframe. It doesn't press Pay; see {@link pay}.
 *
 * @example
 * fillCard(cy, "visa");
 * pay(cy);
 * @throws TypeError for an unknown card name
 */
export function fillCard(cy: CyLike, card: TestCardName | TestCard): void {
  for (const [name, text] of fieldsOf(card)) {
    checkoutBody(cy).find(byTestId(name)).clear().type(text, { log: false });
  }
}

/** Clicks the form's Pay button. */
export function pay(cy: CyLike): void {
  checkoutBody(cy).find(byTestId("pay")).should("be.enabled").click();
}

/** Completes the sandbox bank's challenge by entering the code for `answer`. */
export function completeChallenge(cy: CyLike, answer: keyof typeof bankCodes): void {
  const bank = (): ChainLike => inside(cy, inside(cy, checkoutBody(cy).find(frames.runner)).find(frames.bank));
  bank().find("#code").type(bankCodes[answer]);
  bank().find('button[value="submit"]').click();
}

/** Yields the text of the result page. The payment may have failed, so check the text. */
export function resultText(cy: CyLike): ChainLike {
  return checkoutBody(cy).find(byTestId("result")).should("be.visible").invoke("text");
}

function checkoutBody(cy: CyLike): ChainLike {
  return inside(cy, cy.get(frames.checkout, { includeShadowDom: true }));
}

/** The body of the last matching iframe, once it has content. */
function inside(cy: CyLike, frame: ChainLike): ChainLike {
  return frame
    .last()
    .its("0.contentDocument.body")
    .should("not.be.empty")
    .then((body) => cy.wrap(body, { log: false }));
}
