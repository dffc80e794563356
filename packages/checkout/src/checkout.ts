/**
 * The script at the end of the page. It starts the rest of the code once that has arrived. Anything that must happen
 * earlier is in `prepare-fields.ts` and `prepare-page.ts`.
 *
 * Everything else (validation, encryption, the payment, 3-D Secure, the host page) is in `pay/pay.ts`, which isn't in
 * the HTML because that would delay `load`, and with it the handshake with the host page. Pay stays disabled until that
 * code, the texts and the session have arrived.
 */
import { holdInit } from "./host/init-inbox.ts";
import { findPage } from "./page/page.ts";

const { send, fetchTexts, started } = window.requests;
const page = findPage(document, window, fetchTexts);
const inbox = holdInit(window);

if (typeof started === "string") page.showEarlyResult(started);
else {
  page.form.addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("pagehide", () => page.form.reset());

  const startWhenLoaded = async () => {
    const { sessionId, secret, opening } = started;
    // Pay can be pressed once these have arrived.
    const [code, texts] = await Promise.all([started.code, started.texts]);
    if (code && texts) return code.startPaying({ page, texts, inbox, sessionId, secret, opening, send, window });
    page.form.reset();
    if (started.isTooOld()) page.showEarlyResult("unsupported");
    // Browsers cache a failed module load, so only a new document can retry it.
    else page.showEarlyResult("unreachable", () => location.reload());
  };
  void startWhenLoaded();
}
