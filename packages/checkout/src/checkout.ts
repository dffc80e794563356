/**
 * The first script, inlined in the page: gives it its looks, asks the service for the session, and fetches the rest.
 *
 * It trusts the address it was served from for the session's id and the fragment for the secret, and nothing else. What needs more code
 * (the fields' formats, encryption, the payment, 3-D Secure, the host page) is `pay.ts`, fetched after `load`: a script in the HTML would hold `load` back, and
 * with it the hand-over from the host page. Pay stays disabled until that code and the session are there.
 */
import { takeSecret } from "./client-secret.ts";
import { frameCall, openSession } from "./frame-call.ts";
import { firstLook } from "./first-look.ts";
import { holdInit } from "./init-inbox.ts";
import { findPage } from "./page.ts";

const page = findPage(document, firstLook(window));
if (window.parent === window) document.documentElement.classList.add("full");

const inbox = holdInit(window);
// Without one the service refuses, and the later code tells the host page so.
const secret = takeSecret(location, history) ?? "";
const sessionId = /^\/c\/(cs_[0-9A-Za-z_]{1,80})$/.exec(location.pathname)?.[1];

// A host page that put the frame in a sandbox without an origin: the service could not be asked, and nothing here would be isolated.
if (!sessionId || window.origin === "null") {
  page.showEarlyResult("invalid");
} else {
  const open = () => openSession(frameCall, sessionId, secret);
  const opening = open();
  page.form.addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("pagehide", () => page.form.reset());

  // A browser that has import maps but not their `integrity` refuses the later code by our own policy: it is too old, not offline.
  let isTooOld = !HTMLScriptElement.supports?.("importmap");
  document.addEventListener("securitypolicyviolation", (event) => {
    if (event.effectiveDirective.startsWith("script-src")) isTooOld = true;
  });
  const fetchRest = () => {
    void page.speech.fetch(page.speech.first);
    import("./pay.ts").then(
      ({ startPaying }) => startPaying({ page, inbox, sessionId, opening, open, call: frameCall, window }),
      () => {
        page.form.reset();
        if (isTooOld) page.showEarlyResult("unsupported");
        // Browsers remember a module that failed to load; only a new document asks again.
        else page.showEarlyResult("unreachable", () => location.reload());
      },
    );
  };
  if (document.readyState === "complete") fetchRest();
  else window.addEventListener("load", fetchRest, { once: true });
}
