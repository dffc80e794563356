/**
 * The first script, inlined in the page: makes the form usable at once, asks the service for the session, and fetches the rest.
 *
 * It trusts the address it was served from for the session's id and the fragment for the secret, and nothing else. What needs more code
 * (encryption, the payment, 3-D Secure, the host page) is `pay.ts`, fetched after `load`: a script in the HTML would hold `load` back, and
 * with it the hand-over from the host page. Pay stays disabled until that code and the session are there.
 */
import { bindCardFields } from "./card-fields.ts";
import { takeSecret } from "./client-secret.ts";
import { frameCall, openSession } from "./frame-call.ts";
import { holdInit } from "./init-inbox.ts";
import { findPage } from "./page.ts";
import { earlyResults, retry } from "./text.ts";

const page = findPage(document);
if (window.parent === window) document.documentElement.classList.add("full");

const inbox = holdInit(window);
const secret = takeSecret(location, history);
const sessionId = /^\/c\/(cs_[0-9A-Za-z_]{1,80})$/.exec(location.pathname)?.[1];

// A host page that put the frame in a sandbox without an origin: the service could not be asked, and nothing here would be isolated.
if (!secret || !sessionId || window.origin === "null") {
  page.showResult("invalid", earlyResults.invalid);
} else {
  const fields = bindCardFields(page);
  const opening = openSession(frameCall, sessionId, secret);
  page.form.addEventListener("submit", (event) => event.preventDefault());

  // A browser that has import maps but not their `integrity` refuses the later code by our own policy: it is too old, not offline.
  let isTooOld = !HTMLScriptElement.supports?.("importmap");
  document.addEventListener("securitypolicyviolation", (event) => {
    if (event.effectiveDirective.startsWith("script-src")) isTooOld = true;
  });
  const fetchRest = () => {
    import("./pay.ts").then(
      ({ startPaying }) => startPaying({ page, fields, inbox, opening, sessionId, secret, call: frameCall, window }),
      () => {
        fields.wipe();
        if (isTooOld) page.showResult("unsupported", earlyResults.unsupported);
        // Browsers remember a module that failed to load; only a new document asks again.
        else
          page.showResult("unreachable", earlyResults.unreachable, { button: { label: retry, press: () => location.reload() } });
      },
    );
  };
  if (document.readyState === "complete") fetchRest();
  else window.addEventListener("load", fetchRest, { once: true });
}
