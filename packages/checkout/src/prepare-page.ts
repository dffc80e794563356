/**
 * The script after `prepare-fields.ts`. It requests everything that each payment needs: the session, the later code and
 * the texts. They arrive while the browser builds and paints the rest of the form, so Pay can be pressed sooner.
 *
 * It comes after the fields because the customer should be able to type first.
 */
import { type StartedRequests, startRequests } from "./page/start-requests.ts";
import type * as pay from "./pay/pay.ts";

declare global {
  interface Window {
    requests: StartedRequests<typeof pay>;
  }
}

window.requests = startRequests(window, () => import("./pay/pay.ts"));
