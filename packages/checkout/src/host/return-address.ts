/**
 * The address of the shop's page with `session_id` appended and nothing else touched: the merchant's own query stays
 * byte for byte. Addresses come from the service, which took them from the merchant's server; what is not http(s) is no
 * link here all the same.
 */
export function returnAddress(returnUrl: string, sessionId: string): string | null {
  if (!isWebAddress(returnUrl)) return null;
  const [, base = "", fragment = ""] = /^([^#]*)(#.*)?$/s.exec(returnUrl) ?? [];
  const joint = !base.includes("?") ? "?" : /[?&]$/.test(base) ? "" : "&";
  return `${base}${joint}session_id=${encodeURIComponent(sessionId)}${fragment}`;
}

export function isWebAddress(address: string): boolean {
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
}
