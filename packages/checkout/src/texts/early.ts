/** English for the first script and the runner document, by itself: each of them carries what it may have to say and no more. */
import type { EarlyTexts } from "./texts.ts";

export const early: EarlyTexts = {
  early: {
    invalid: ["Go back to the shop", "This page cannot take a payment on its own. Start again from the shop’s checkout."],
    unreachable: [
      "No connection",
      "We could not reach the payment service. Nothing was sent. Check your connection and try again.",
    ],
    unsupported: ["This browser is too old", "Update your browser, or open the shop in another one, to pay safely."],
  },
  retry: "Try again",
};

/** What no other language needs: a page without JavaScript stays English, and nobody reads the title of a frame that nobody sees. */
export const needsScript = "Turn JavaScript on to pay here.";
export const bankCheckFrame = "Security check by your bank";

/** By itself, for the runner document needs no more. */
export const bankFrame = "Your bank’s page";
