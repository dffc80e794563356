/**
 * The script in the page's head: before there is a field, somebody listens to what is typed in it, and the page has its looks. It does nothing that can
 * wait for the script at the page's end (`checkout.ts`), for all that it does is done before the customer can type.
 */
import { followTyping } from "./card-fields/follow-typing.ts";
import type { Typing } from "./card-fields/follow-typing.ts";
import { firstLook } from "./first-look.ts";
import type { FirstLook } from "./first-look.ts";

/** What it leaves to the script at the end. Nobody else's script runs in this page. */
export interface Head {
  typing: Typing;
  look: FirstLook;
}

declare global {
  interface Window {
    head: Head;
  }
}

window.head = { typing: followTyping(document), look: firstLook(window) };
