/** Shows the result of an attempt: why it was declined, or that it succeeded, and what happens next. */
import type { CustomerReason } from "@oriel/protocol/declines";
import type { FrameSession } from "@oriel/protocol/frame";
import { fill, fillCount, joinSentences } from "../texts/fill.ts";
import type { Texts } from "../texts/texts.ts";
import type { Page } from "./page.ts";
import type { showReceipt } from "./receipt.ts";
import { occasionOf } from "./screen.ts";
import type { Screen } from "./screen.ts";

type Session = FrameSession["session"];

export interface OutcomeScreen {
  declined(session: Session, reason: CustomerReason, cardholderInfo: string | null): void;
  /**
   * Shows that the attempt succeeded. A full page continues to the shop by itself, or shows a receipt if there is no
   * URL to continue to.
   * @param endedHere whether the payment has just finished on this page
   */
  finished(session: Session, name: "succeeded" | "requires_confirmation", endedHere: boolean): void;
}

/** Long enough to read the result, and short enough not to feel like a delay. */
const leaveAfterMs = 1500;
/** With this many attempts left or fewer, the customer is told how many. */
const fewAttempts = 2;

export function createOutcomeScreen(
  page: Page,
  screen: Pick<Screen, "form" | "say" | "end" | "wayBack">,
  window: Window,
  now: () => number,
  loadReceipt: () => Promise<{ showReceipt: typeof showReceipt }>,
): OutcomeScreen {
  return {
    declined(session, reason, cardholderInfo) {
      const left = session.attempts_left;
      screen.form();
      screen.say(
        (texts) =>
          joinSentences(
            texts,
            declineSentence(texts, session, reason),
            // The text comes from the bank, so it's isolated: its writing direction must not affect our words.
            cardholderInfo && `\u2068${cardholderInfo}\u2069`,
            left > 0 && left <= fewAttempts && fillCount(texts.after.attemptsLeft, left, texts.locale),
          ),
        reason === "authentication_canceled",
      );
    },
    finished(session, name, endedHere) {
      const { amount, merchant_name, return_url, allowed_origins } = session;
      const merchant = { merchant: merchant_name };
      if (window.parent === window && !return_url) {
        // Without a return URL, the only link is the shop's home page.
        const [href] = allowed_origins;
        screen.end(name, href === undefined ? href : { href, label: (texts) => fill(texts.backTo, merchant) });
        if (!amount || name !== "succeeded") return; // nothing was paid, so there is no receipt
        const endedAtMs = endedHere ? now() : null;
        loadReceipt().then(
          (loaded) => loaded.showReceipt(page, session, endedAtMs),
          () => {}, // without the receipt, the page still says that the payment succeeded
        );
        return;
      }
      const link = screen.wayBack("return");
      screen.end(name, link, link && ((texts) => fill(texts.takingYouBack, merchant)));
      // `replace`, so that Back from the shop's page doesn't return to a finished checkout.
      if (link) setTimeout(() => window.location.replace(link.href), leaveAfterMs);
    },
  };
}

/** The sentence that the customer reads after this decline. */
export function declineSentence(texts: Texts, session: Session, reason: CustomerReason): string {
  const { declined } = texts.after;
  // After an upgrade, the service may know a reason that this page doesn't.
  const known = Object.hasOwn(declined, reason) ? reason : "declined";
  return fill(declined[known], { outcome: texts.outcomes[occasionOf(session)] });
}
