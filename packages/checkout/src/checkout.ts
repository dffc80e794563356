/**
 * The script at the page's end: asks the service for the session, and fetches the rest. What must be done before the
 * customer can type is in `prepare-fields.ts`.
 *
 * It trusts the address it was served from for the session's id and the fragment for the secret, and nothing else. What
 * needs more code (checking, encryption, the payment, 3-D Secure, the host page) is `pay/pay.ts`, fetched after `load`
 * together with the form's words: a script in the HTML would hold `load` back, and with it the hand-over from the host
 * page. Pay stays disabled until that code, the words and the session are there.
 */
import { takeSecret } from "./service/client-secret.ts";
import { frameCall, openSession } from "./service/frame-call.ts";
import { holdInit } from "./host/init-inbox.ts";
import { findPage } from "./page/page.ts";

const page = findPage(document, window.prepared, frameCall);
const inbox = holdInit(window);
// Without one the service refuses, and the later code tells the host page so.
const secret = takeSecret(location, history) ?? "";
const sessionId = /^\/c\/(cs_\w{1,80})$/.exec(location.pathname)?.[1];

// A host page that put the frame in a sandbox without an origin: the service could not be asked, and nothing here would
// be isolated.
if (!sessionId || window.origin === "null") {
  page.showEarlyResult(sessionId ? "sandboxed" : "invalid");
} else {
  const open = (lost?: string) => openSession(frameCall, sessionId, secret, lost);
  const opening = open();
  page.form.addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("pagehide", () => page.form.reset());

  // A browser that has import maps but not their `integrity` refuses the later code by our own policy: it is too old,
  // not offline.
  let isTooOld = !HTMLScriptElement.supports?.("importmap");
  document.addEventListener("securitypolicyviolation", (event) => {
    if (event.effectiveDirective.startsWith("script-src")) isTooOld = true;
  });
  const fetchRest = async () => {
    const giveUp = () => {
      page.form.reset();
      if (isTooOld) page.showEarlyResult("unsupported");
      // Browsers remember a module that failed to load; only a new document asks again.
      else page.showEarlyResult("unreachable", () => location.reload());
    };
    // Both at once, and all that a press of Pay needs: after it nothing is fetched but the service's answers.
    const [code, texts] = await Promise.all([
      import("./pay/pay.ts").catch(() => null),
      page.fetchTexts(page.own.language, "later"),
    ]);
    if (!code || !texts) return giveUp();
    code.startPaying({ page, texts, inbox, sessionId, opening, open, call: frameCall, window });
  };
  if (document.readyState === "complete") void fetchRest();
  else window.addEventListener("load", () => void fetchRest(), { once: true });
}
