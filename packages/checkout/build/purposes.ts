/**
 * What each script and style of the iframe's pages is for, and why it's needed: the written justification that PCI DSS
 * v4.0.1, 6.4.3 requires. A script that isn't listed here fails the build.
 */
import type { PageName } from "@oriel/protocol/page-headers";

export const pagePurposes: Readonly<Record<PageName, string>> = {
  checkout: "The form where the customer enters the card, and the rest of the payment. The only page with card data.",
  runner: "Contains the bank's pages (3-D Secure), isolated from the card in a separate document with its own policy.",
  landing: "The page that the bank's pages return to. Shows that the form waits for the bank's result.",
  why: "Asks the service why an iframe doesn't load, for the merchant's page. No card field, no secret.",
};

/** By name: what it does, and why the page needs it. */
export const codePurposes: Readonly<Record<string, readonly [purpose: string, justification: string]>> = {
  "checkout fields": [
    "Requests the session from the service and the rest of the code, removes the session's secret from the URL, sets the form's appearance, and formats input.",
    "The customer may type before the rest has loaded, the form must not visibly change its appearance, and without the session it wouldn't know what to pay.",
  ],
  checkout: [
    "Starts the rest of the code once it has loaded, says so if it can't be loaded, and clears the fields when the page is left.",
    "Without it nobody could pay, and card data would stay in the browser's memory.",
  ],
  "import map": [
    "Lists the scripts that load later, each with its hash. Runs nothing.",
    "It makes the browser refuse a later script if a single byte has changed.",
  ],
  pay: [
    "Validates input, encrypts the card to the vault's public key, sends it to this origin, places orders that cost nothing, follows the payment to its end, asks for confirmation if Pay may be hidden, and exchanges messages with the merchant's page about everything except the card.",
    "Card data has to be encrypted before it leaves the page, one click must not pay if the browser can't tell that Pay was visible, and the customer must see errors and the outcome.",
  ],
  bank: [
    "Shows the bank's pages (3-D Secure) in the runner's iframes, and what to do in the bank's app.",
    "Banks ask customers to confirm payments.",
  ],
  "on-demand": [
    "Shows the order's items, sends the customer's choice of shipping and promotion code to this origin, shows the choice between a card's two networks, the fields next to the card and the receipt, counts down the last minute, and tells the merchant's page why there's no payment.",
    "Only some payments need them. Loaded when one of them needs it.",
  ],
  test: [
    "Lists the sandbox bank's test cards and fills them in.",
    "For developers in test mode. Live sessions never load it.",
  ],
  runner: [
    "Posts messages to the bank's iframes and tells the form when the bank is done. Doesn't read the outcome.",
    "3-D Secure starts with forms that a page posts to the bank.",
  ],
  landing: [
    "Tells the runner that the bank has returned. Doesn't read the outcome.",
    "Without it the customer would wait for the service's next check.",
  ],
  why: [
    "Asks the service whether the session is open and allows the merchant's origin, and tells the merchant's page.",
    "A browser doesn't say why it refused an iframe, so merchants would only see an empty space.",
  ],
  "checkout style": [
    "The form's appearance.",
    "Inline, so that the form is visible with the first response and no style sheet can be replaced.",
  ],
  "runner style": [
    "The appearance of the bank's iframe and of its loading state.",
    "Inline, so that no style sheet can be replaced.",
  ],
  "landing style": ["The appearance of the waiting state.", "Inline, so that no style sheet can be replaced."],
  "why style": ["Hides the page, which has no content.", "Inline, so that no style sheet can be replaced."],
};
