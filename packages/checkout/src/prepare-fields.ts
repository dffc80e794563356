/**
 * The script right after the card fields. It starts listening for input as soon as the fields exist, and applies the
 * appearance. It does only what must be done before the customer can type; everything else is in the script at the end
 * of the page (`checkout.ts`).
 *
 * It isn't in the head because browsers pause parsing after a script, and the fields wouldn't exist yet. Chromium
 * paints nothing before it has run (`rel="expect"`). Firefox and Safari could briefly paint the fields without their
 * appearance if the page arrives in two pieces split exactly here.
 */
import { followTyping } from "./form/card-fields/follow-typing.ts";
import { initialSettings } from "./page/initial-settings.ts";
import type { Prepared } from "./page/page.ts";

declare global {
  interface Window {
    prepared: Prepared;
  }
}

window.prepared = { typing: followTyping(document), look: initialSettings(window) };
