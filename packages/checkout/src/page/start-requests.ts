/**
 * Starts the requests that every payment needs.
 *
 * It trusts only the page's own URL: the path for the session's ID and the fragment for the secret. Without a session,
 * and in a sandbox, it requests nothing.
 */
import { takeSecret } from "../service/client-secret.ts";
import { openPath, post, sendRequest } from "../service/send-request.ts";
import type { Reply, Send } from "../service/send-request.ts";
import { fetchTextsBy } from "../texts/page-texts.ts";
import type { FetchTexts } from "../texts/page-texts.ts";
import type { TextFile } from "../texts/texts.ts";

export interface StartedRequests<Code> {
  send: Send;
  fetchTexts: FetchTexts;
  /** The requests, or why there are none. */
  started: Started<Code> | "invalid" | "sandboxed";
}

export interface Started<Code> {
  sessionId: string;
  /** The session's client secret; empty if the page was opened without one. */
  secret: string;
  opening: Promise<Reply | null>;
  /** Null if the code couldn't be loaded. */
  code: Promise<Code | null>;
  /** In the page's own language; null if they couldn't be loaded. */
  texts: Promise<TextFile | null>;
  /** Whether the browser refuses the code because it's too old, so that it isn't reported as offline. */
  isTooOld(): boolean;
}

/** @param importCode - Called after `load`: Firefox and Safari wait with `load` for every import that began before. */
export function startRequests<Code>(
  window: Window & typeof globalThis,
  importCode: () => Promise<Code>,
): StartedRequests<Code> {
  const { document, location, history, origin } = window;
  // Our build writes these into every page.
  const { lang, dataset } = document.documentElement;
  const fetchTexts = fetchTextsBy(sendRequest, dataset["texts"] ?? "");
  const sessionId = /^\/c\/(cs_\w{1,80})$/.exec(location.pathname)?.[1];
  // Without a secret, the service refuses, and the later code reports that to the host page.
  const secret = takeSecret(location, history) ?? "";
  const begin = (): StartedRequests<Code>["started"] => {
    if (!sessionId) return "invalid";
    // An opaque origin means the host page put the iframe in a sandbox without `allow-same-origin`. Requests to the
    // service would fail, and nothing here would be isolated.
    if (origin === "null") return "sandboxed";
    // A browser that supports import maps but not their `integrity` blocks the later code under our own CSP.
    let isTooOld = !HTMLScriptElement.supports?.("importmap");
    document.addEventListener("securitypolicyviolation", (event) => {
      if (event.effectiveDirective.startsWith("script-src")) isTooOld = true;
    });
    // Fills the browser's cache, from which the code is then imported.
    fetch(dataset["code"] ?? "")
      .then((code) => code.arrayBuffer())
      .catch(() => {});
    return {
      sessionId,
      secret,
      opening: sendRequest(openPath(sessionId), post({ client_secret: secret })),
      code: loaded(window)
        .then(importCode)
        .catch(() => null),
      texts: fetchTexts(lang),
      isTooOld: () => isTooOld,
    };
  };
  return { send: sendRequest, fetchTexts, started: begin() };
}

function loaded(window: Window): Promise<unknown> {
  return new Promise((resolve) => {
    if (window.document.readyState === "complete") resolve(null);
    else window.addEventListener("load", resolve, { once: true });
  });
}
