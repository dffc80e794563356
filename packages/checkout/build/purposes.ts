/**
 * What each script and style of the frame's pages is for, and why it has to be there: the written justification of PCI
 * DSS v4.0.1, 6.4.3. A script that is not named here fails the build.
 */
import type { PageName } from "@oriel/protocol/page-headers";

export const pagePurposes: Readonly<Record<PageName, string>> = {
  checkout: "The form in which the customer types the card, and what follows. The only page with card data in it.",
  runner:
    "Holds the bank's own pages (3-D Secure), away from the card: a document of its own, with a policy of its own.",
  landing: "Where the bank's pages come back to. Shows that the bank's answer is awaited.",
  why: "Asks the service why a frame stays silent, for the merchant's page. No card field, no secret.",
};

/** By name: what it does, and why the page cannot do without. */
export const codePurposes: Readonly<Record<string, readonly [purpose: string, justification: string]>> = {
  "checkout fields": [
    "Gives the form its looks, and formats what is typed.",
    "The customer may type before the rest is there, and the form is not to change its looks under the customer's eyes.",
  ],
  checkout: [
    "Asks the service for the session, takes the session's secret out of the address, wipes the fields when the page goes away, and fetches the rest.",
    "Without it the form would not know what is to be paid, and card data would stay behind in the browser's memory.",
  ],
  "import map": [
    "Names the scripts that come later, each with its hash. Runs nothing.",
    "By it the browser refuses a later script of which one byte is another one.",
  ],
  pay: [
    "Checks what is typed, encrypts the card to the vault's public key, sends it to this origin, follows the payment to its end, shows the bank's pages (3-D Secure) in frames of the runner, asks once more where Pay may be hidden, and speaks with the merchant's page about anything but the card.",
    "Card data has to be encrypted before it leaves the page, banks ask customers to confirm payments, one click must not pay where the browser cannot say that Pay was seen, and the customer has to learn what is wrong and how it ended.",
  ],
  "on-demand": [
    "Shows the order's items, the choice between a card's two networks, the fields beside the card and the receipt, counts the last minute down, and tells the merchant's page why there is no payment.",
    "Only some payments need them. Fetched when the first of them is needed.",
  ],
  test: [
    "Lists the sandbox bank's test cards and fills them in.",
    "For developers in test mode; never fetched by a live session.",
  ],
  runner: [
    "Posts the bank's messages into the bank's frames and tells the form that the bank is done. Reads no outcome.",
    "3-D Secure begins with forms that are posted to the bank from a page.",
  ],
  landing: [
    "Tells the runner that the bank has come back. Reads no outcome.",
    "Without it the customer would wait for the service's next look.",
  ],
  why: [
    "Asks the service whether the session lives and lists the merchant's origin, and tells the merchant's page.",
    "A browser says nothing about why it refused a frame; merchants would be left with an empty place.",
  ],
  "checkout style": [
    "The form's look.",
    "Inline, so that the form is seen with the first response and no style sheet can be replaced.",
  ],
  "runner style": [
    "The look of the bank's frame and of waiting for it.",
    "Inline, so that no style sheet can be replaced.",
  ],
  "landing style": ["The look of waiting.", "Inline, so that no style sheet can be replaced."],
  "why style": ["Hides the page, which has nothing to show.", "Inline, so that no style sheet can be replaced."],
};
