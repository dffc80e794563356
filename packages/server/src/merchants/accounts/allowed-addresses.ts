/**
 * Which addresses a merchant may name: origins that may hold the frame, and pages the customer is sent to. They end up
 * in a `frame-ancestors` header and in a redirect, so anything that is not exactly what it should be is refused when
 * the session is created. https only; in test mode also http on this very machine.
 */
import { ApiError } from "../../platform/errors.ts";

/** @throws ApiError `origin_not_allowed` that names the entry. */
export function checkAllowedOrigins(origins: readonly string[], livemode: boolean): void {
  origins.forEach((origin, index) => {
    if (isExactOrigin(origin) && isAllowedScheme(new URL(origin), livemode)) return;
    throw new ApiError(
      "origin_not_allowed",
      `${JSON.stringify(origin.slice(0, 200))} is not an exact origin such as "https://shop.example": no path, no wildcard, https (in test mode also http on localhost, *.localhost and 127.0.0.1).`,
      { param: `allowed_origins[${index}]` },
    );
  });
}

/**
 * Of an account, for both modes: a live session leaves out what only test mode lets in.
 * @throws ApiError `origin_not_allowed` that names the entry
 */
export function checkOriginsOfAccount(origins: readonly string[]): void {
  checkAllowedOrigins(origins, false);
}

/** Of an account: `shop.example`, `localhost:4242`. @throws ApiError `url_not_allowed` that names the entry */
export function checkReturnHosts(hosts: readonly string[]): void {
  hosts.forEach((host, index) => {
    if (isExactOrigin(`https://${host}`)) return;
    throw new ApiError(
      "url_not_allowed",
      `${JSON.stringify(host.slice(0, 200))} is not a host such as "shop.example" or "localhost:4242": no scheme, no path, no wildcard, lower case.`,
      { param: `return_url_hosts[${index}]` },
    );
  });
}

/**
 * A session may narrow its account's list, not widen it; an account without a list leaves it to the session.
 * @throws ApiError
 */
export function checkWithinAccount(origins: readonly string[], ofAccount: readonly string[]): void {
  const index = ofAccount.length === 0 ? -1 : origins.findIndex((origin) => !ofAccount.includes(origin));
  if (index === -1) return;
  const message = `${JSON.stringify(origins[index])} is not among the origins of your account. Leave it out, or add it in the dashboard's settings.`;
  throw new ApiError("origin_not_allowed", message, { param: `allowed_origins[${index}]` });
}

/** @throws ApiError `url_not_allowed` that names the field. */
export function checkReturnAddress(address: string, param: "return_url" | "cancel_url", livemode: boolean): void {
  // What the parser would silently mend (control characters, backslashes, missing slashes) is refused: others may read
  // it differently.
  const written = /^https?:\/\/[^\s\\@\p{Cc}]+$/u.test(address) && URL.canParse(address) ? new URL(address) : null;
  const exact = written !== null && address.startsWith(written.origin) && isExactOrigin(written.origin);
  if (
    exact &&
    written.username === "" &&
    written.password === "" &&
    written.hash === "" &&
    isAllowedScheme(written, livemode)
  )
    return;
  throw new ApiError(
    "url_not_allowed",
    `\`${param}\` must be a full address such as "https://shop.example/thanks": no user name, no fragment, https (in test mode also http on localhost, *.localhost and 127.0.0.1).`,
    { param },
  );
}

/** @param address has passed {@link checkReturnAddress} @throws ApiError `url_not_allowed` that names the field */
export function checkReturnHost(
  address: string,
  param: "return_url" | "cancel_url",
  ofAccount: readonly string[],
): void {
  const { host } = new URL(address);
  if (ofAccount.length === 0 || ofAccount.includes(host)) return;
  const message = `${JSON.stringify(host)} is not among the hosts that \`${param}\` may have at your account. Add it in the dashboard's settings.`;
  throw new ApiError("url_not_allowed", message, { param });
}

/** `new URL(x).origin === x`, in ASCII, without what a header or a host list could read otherwise. */
function isExactOrigin(origin: string): boolean {
  return (
    /^https?:\/\/[a-z0-9.:[\]-]+$/.test(origin) &&
    URL.canParse(origin) &&
    new URL(origin).origin === origin &&
    !new URL(origin).hostname.endsWith(".")
  );
}

function isAllowedScheme(url: URL, livemode: boolean): boolean {
  if (url.protocol === "https:") return true;
  const isThisMachine =
    url.hostname === "localhost" || url.hostname.endsWith(".localhost") || url.hostname === "127.0.0.1";
  return url.protocol === "http:" && isThisMachine && !livemode;
}
