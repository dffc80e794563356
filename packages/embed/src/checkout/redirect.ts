/**
 * The way without a frame: the same page fills the window and comes back to the session's `return_url`.
 */
import { ownCopy } from "./checkout-options.ts";
import { parseUrl, readEmbedUrl } from "./embed-url.ts";

/**
 * Sends this window to the payment page.
 *
 * @example redirectToCheckout({ embedUrl })
 * @throws TypeError for an `embedUrl` that is not one or a `mode` that does not exist.
 */
export function redirectToCheckout(options: {
  embedUrl: string;
  /** `replace` leaves no entry to go Back to. Default `assign`. */
  mode?: "assign" | "replace";
}): void {
  const { embedUrl, mode = "assign" } = ownCopy(options, ["embedUrl", "mode"], "option");
  const { href } = readEmbedUrl(embedUrl);
  if (mode !== "assign" && mode !== "replace") throw new TypeError('Oriel: mode must be "assign" or "replace".');
  location[mode](href);
}

/**
 * Reads what the payment page added to `return_url`. It says which session the customer comes from, never how it ended:
 * ask your own server, which learns it from the webhook.
 *
 * @param url Default: this page's address.
 * @returns null where there is no session id, and on a server without a `url`.
 */
export function parseReturn(url?: string | URL): { sessionId: string } | null {
  const text = url === undefined ? (typeof location === "undefined" ? "" : location.href) : String(url);
  const sessionIds = parseUrl(text)?.searchParams.getAll("session_id") ?? [];
  const sessionId = sessionIds.length === 1 ? sessionIds[0] : undefined;
  return sessionId !== undefined && /^cs_[0-9A-Za-z_]{1,80}$/.test(sessionId) ? { sessionId } : null;
}
