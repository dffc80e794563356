/**
 * The script right behind the card's fields: as soon as there are fields, somebody listens to what is typed in them,
 * and the page has its looks. It does nothing that can wait for the script at the page's end (`checkout.ts`), for all
 * that it does is done before the customer can type.
 *
 * It does not stand in the head: after a script a browser stops reading the page for a while, and would not have the
 * fields yet. Chromium draws nothing before it has run (`rel="expect"`); Firefox and Safari could draw the fields once
 * without their looks, if the page came in two pieces just there.
 */
import { followTyping } from "./form/card-fields/follow-typing.ts";
import { firstLook } from "./page/first-look.ts";
import type { Prepared } from "./page/page.ts";

declare global {
  interface Window {
    prepared: Prepared;
  }
}

window.prepared = { typing: followTyping(document), look: firstLook(window) };
