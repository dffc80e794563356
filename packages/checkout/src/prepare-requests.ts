/**
 * The script after `prepare-fields.ts`. It requests everything that each payment needs: the session, the later code and
 * the texts. They arrive while the browser builds and paints the rest of the form, so Pay can be pressed sooner.
 *
 * It isn't in the head because code from the browser's cache would then run before the customer can type.
 */
import type * as pay from "./pay/pay.ts";
import { type StartedRequests, startRequests } from "./page/start-requests.ts";

declare global {
  interface Window {
    requests: StartedRequests<typeof pay>;
  }
}

window.requests = startRequests(window, () => import("./pay/pay.ts"));
