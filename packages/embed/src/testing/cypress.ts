/**
 * For tests with Cypress, which this file does not import: it is handed `cy`. Only in test mode, with the sandbox
 * bank's cards.
 *
 * What is needed. Cypress runs inside the page and cannot look into a frame of another origin, and `cy.origin` does not
 * enter frames. So with the form in a frame, either `chromeWebSecurity: false` (Chromium only), or, for {@link
 * fillCard}, {@link pay} and {@link resultText}, a proxy that gives the shop and the service one origin in the tests.
 * The bank's frame has an origin of its own either way, so {@link completeChallenge} always needs `chromeWebSecurity:
 * false`. With the default settings, test the redirect: `cy.origin(service, ...)`, and there `cy.get` by `testIds`.
 */
import { bankCodes, fieldsOf, type TestCard, type TestCardName } from "./test-cards.ts";
import { byTestId, frames } from "./test-ids.ts";

/** What these use of a Cypress chain. */
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

/** What these use of `cy`. */
export interface CyLike {
  get(selector: string, options?: { includeShadowDom?: boolean; timeout?: number }): ChainLike;
  wrap(subject: unknown, options?: { log?: boolean }): ChainLike;
}

/**
 * Types a card into the form in the frame. It does not press Pay: see {@link pay}.
 *
 * @example fillCard(cy, "visa"); pay(cy);
 * @throws TypeError for a card that has no such name.
 */
export function fillCard(cy: CyLike, card: TestCardName | TestCard): void {
  for (const [name, text] of fieldsOf(card)) {
    checkoutBody(cy).find(byTestId(name)).clear().type(text, { log: false });
  }
}

/** Presses the form's own Pay. */
export function pay(cy: CyLike): void {
  checkoutBody(cy).find(byTestId("pay")).should("be.enabled").click();
}

/**
 * Answers the sandbox bank: `approve` and `reject` type its codes, `cancel` gives the challenge up on the bank's page.
 */
export function completeChallenge(cy: CyLike, answer: "approve" | "reject" | "cancel"): void {
  const bank = (): ChainLike => inside(cy, inside(cy, checkoutBody(cy).find(frames.runner)).find(frames.bank));
  if (answer !== "cancel") bank().find("#code").type(bankCodes[answer]);
  bank()
    .find(`button[value="${answer === "cancel" ? "cancel" : "submit"}"]`)
    .click();
}

/** What the page says at the end, as the subject of the chain. It may be that nothing was paid. */
export function resultText(cy: CyLike): ChainLike {
  return checkoutBody(cy).find(byTestId("result")).should("be.visible").invoke("text");
}

function checkoutBody(cy: CyLike): ChainLike {
  return inside(cy, cy.get(frames.checkout, { includeShadowDom: true }));
}

/** The body of the last frame that was found, once it has content. */
function inside(cy: CyLike, frame: ChainLike): ChainLike {
  return frame
    .last()
    .its("0.contentDocument.body")
    .should("not.be.empty")
    .then((body) => cy.wrap(body, { log: false }));
}
