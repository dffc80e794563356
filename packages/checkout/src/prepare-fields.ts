/**
 * The script right after the card fields. It starts listening for input as soon as the fields exist, and does nothing
 * else: the customer can type once it has run. Everything else is in the scripts further down (`prepare-page.ts`,
 * `checkout.ts`).
 *
 * It isn't in the head because browsers pause parsing after a script, and the fields wouldn't exist yet.
 */
import { followTyping } from "./form/card-fields/follow-typing.ts";

window.typing = followTyping(document);
