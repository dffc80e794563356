/**
 * Returns the URL of the shop's page with `session_id` appended and everything else unchanged, including the bytes of
 * the merchant's own query. URLs come from the service, which got them from the merchant's server. Even so, a URL that
 * isn't http(s) returns null and is never linked to.
 */
export function returnPageUrl(returnUrl: string, sessionId: string): string | null {
  if (!isWebAddress(returnUrl)) return null;
  const [, base = "", fragment = ""] = /^([^#]*)(#.*)?$/s.exec(returnUrl) ?? [];
  const joint = !base.includes("?") ? "?" : /[?&]$/.test(base) ? "" : "&";
  return `${base}${joint}session_id=${encodeURIComponent(sessionId)}${fragment}`;
}

export function isWebAddress(address: string): boolean {
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
}
