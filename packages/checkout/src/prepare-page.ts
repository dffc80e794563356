/**
 * The script after `prepare-fields.ts`. It requests everything that each payment needs: the session, the later code and
 * the texts. They arrive while the browser builds and paints the rest of the form, so Pay can be pressed sooner. Then
 * it applies the appearance.
 *
 * It comes after the fields because the customer should be able to type first. It's one script because each inline
 * script adds its hash to the Content Security Policy, and the form is usable sooner if all headers fit in one packet.
 *
 * Chromium paints nothing before `#live` has arrived (`rel="expect"`). Firefox and Safari could briefly paint the fields
 * without their appearance if the page arrives in two pieces split exactly before this script.
 */
import { initialSettings } from "./page/initial-settings.ts";
import { type StartedRequests, startRequests } from "./page/start-requests.ts";
import type * as pay from "./pay/pay.ts";

declare global {
  interface Window {
    requests: StartedRequests<typeof pay>;
  }
}

window.requests = startRequests(window, () => import("./pay/pay.ts"));
window.initialSettings = initialSettings(window);
