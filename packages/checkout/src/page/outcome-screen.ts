/** What the customer sees when a try is over: why it was declined, or that it is done, and what follows. */
import type { CustomerReason } from "@oriel/protocol/declines";
import type { FrameSession } from "@oriel/protocol/frame";
import type { Page } from "./page.ts";
import type { showReceipt } from "./receipt.ts";
import { occasionOf } from "./screen.ts";
import type { Screen } from "./screen.ts";
import { fill, fillCount } from "../texts/fill.ts";
import type { Texts } from "../texts/texts.ts";

type Session = FrameSession["session"];

export interface OutcomeScreen {
  declined(session: Session, reason: CustomerReason, cardholderInfo: string | null): void;
  /**
   * Done: a full page goes on to the shop by itself, or is the receipt where it has nowhere to go.
   * @param endedHere under the customer's eyes, so that it has just ended
   */
  finished(session: Session, name: "succeeded" | "requires_confirmation", endedHere: boolean): void;
}

/** Long enough to see that it worked, short enough not to wait for it. */
const leaveAfterMs = 1500;
/** Few enough to be told. */
const fewTries = 2;

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
          [
            declineSentence(texts, session, reason),
            // In the bank's language and by its hand: isolated, so that it cannot turn our words around.
            cardholderInfo && `\u2068${cardholderInfo}\u2069`,
            left > 0 && left <= fewTries && fillCount(texts.after.triesLeft, left, texts.locale),
          ]
            .filter(Boolean)
            .join(" "),
        reason === "authentication_canceled",
      );
    },
    finished(session, name, endedHere) {
      const { mode, merchant_name, return_url, allowed_origins } = session;
      const merchant = { merchant: merchant_name };
      if (window.parent === window && !return_url) {
        // Nothing leads on from here but the shop's own front door.
        const [href] = allowed_origins;
        screen.end(name, href === undefined ? href : { href, label: (texts) => fill(texts.backTo, merchant) });
        if (mode === "setup" || name !== "succeeded") return; // nothing was paid
        const endedAtMs = endedHere ? now() : null;
        loadReceipt().then(
          (loaded) => loaded.showReceipt(page, session, endedAtMs),
          () => {}, // who paid is told so all the same
        );
        return;
      }
      const link = screen.wayBack("return");
      screen.end(name, link, link && ((texts) => fill(texts.takingYouBack, merchant)));
      // `replace`: Back from the shop's page must not come to a checkout that is over.
      if (link) setTimeout(() => window.location.replace(link.href), leaveAfterMs);
    },
  };
}

/** What the customer reads after this refusal. */
export function declineSentence(texts: Texts, session: Session, reason: CustomerReason): string {
  return fill(texts.after.declined[reason], { outcome: texts.outcomes[occasionOf(session)] });
}
