/**
 * Checkout without an iframe: the same form fills the window and then returns to the session's `return_url`.
 */
import { ownCopy } from "../api/checkout-options.ts";
import { parseUrl, readEmbedUrl } from "../api/embed-url.ts";

/**
 * Navigates this window to the full page.
 *
 * @example redirectToCheckout({ embedUrl })
 * @throws TypeError for an invalid `embedUrl` or `mode`
 */
export const redirectToCheckout = (options: {
  embedUrl: string;
  /** `replace` replaces this page's history entry. Default `assign`. */
  mode?: "assign" | "replace";
}): void => {
  const { embedUrl, mode = "assign" } = ownCopy(options, ["embedUrl", "mode"], "option");
  const { href } = readEmbedUrl(embedUrl);
  if (mode !== "assign" && mode !== "replace") throw new TypeError('Oriel: mode must be "assign" or "replace".');
  location[mode](href);
};

/**
 * Reads the session ID that the full page adds to `return_url`. It doesn't say whether the customer paid. Check that on
 * your server, which learns the outcome from the webhook.
 *
 * @param url defaults to this page's URL
 * @returns null if there is no valid session ID, and on a server without a `url`
 */
export const parseReturn = (url?: string | URL): { sessionId: string } | null => {
  const text = url === undefined ? (typeof location === "undefined" ? "" : location.href) : String(url);
  const [sessionId = "", ...others] = parseUrl(text)?.searchParams.getAll("session_id") ?? [];
  return others.length === 0 && /^cs_\w{1,80}$/.test(sessionId) ? { sessionId } : null;
};
