/**
 * The script at the end of the page. It opens the session and fetches the rest of the code. Anything that must happen
 * before the customer sees the form or types is in `prepare-look.ts` and `prepare-fields.ts`.
 *
 * It trusts only its own URL: the path for the session's ID and the fragment for the secret. Everything else
 * (validation, encryption, the payment, 3-D Secure, the host page) is in `pay/pay.ts`, which is fetched after `load`
 * together with the form's texts. A script in the HTML would delay `load`, and with it the handshake with the host
 * page. Pay stays disabled until that code, the texts and the session have arrived.
 */
import { takeSecret } from "./service/client-secret.ts";
import { openPath, post, sendRequest } from "./service/send-request.ts";
import { holdInit } from "./host/init-inbox.ts";
import { findPage } from "./page/page.ts";

const page = findPage(document, window, sendRequest);
const inbox = holdInit(window);
// Without a secret, the service refuses, and the later code reports that to the host page.
const secret = takeSecret(location, history) ?? "";
const sessionId = /^\/c\/(cs_\w{1,80})$/.exec(location.pathname)?.[1];

// An opaque origin means the host page put the iframe in a sandbox without `allow-same-origin`. Requests to the service
// would fail, and nothing here would be isolated.
if (!sessionId || window.origin === "null") {
  page.showEarlyResult(sessionId ? "sandboxed" : "invalid");
} else {
  const opening = sendRequest(openPath(sessionId), post({ client_secret: secret }));
  page.form.addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("pagehide", () => page.form.reset());

  // A browser that supports import maps but not their `integrity` blocks the later code under our own CSP. It is too
  // old, not offline.
  let isTooOld = !HTMLScriptElement.supports?.("importmap");
  document.addEventListener("securitypolicyviolation", (event) => {
    if (event.effectiveDirective.startsWith("script-src")) isTooOld = true;
  });
  const fetchRest = async () => {
    const giveUp = () => {
      page.form.reset();
      if (isTooOld) page.showEarlyResult("unsupported");
      // Browsers cache a failed module load, so only a new document can retry it.
      else page.showEarlyResult("unreachable", () => location.reload());
    };
    // Load both in parallel. Pay needs nothing else: once it can be pressed, only requests to the service follow.
    const [code, texts] = await Promise.all([import("./pay/pay.ts").catch(() => null), page.fetchTexts(page.language)]);
    if (!code || !texts) return giveUp();
    code.startPaying({ page, texts, inbox, sessionId, secret, opening, send: sendRequest, window });
  };
  if (document.readyState === "complete") void fetchRest();
  else window.addEventListener("load", () => void fetchRest(), { once: true });
}
