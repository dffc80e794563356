/**
 * Checks the origins that may frame the checkout and the URLs that customers are sent to. They end up in a
 * `frame-ancestors` header and in a redirect, so anything ambiguous is refused when the session is created. Only https
 * is allowed. Test mode also allows http on localhost.
 */
import { ApiError } from "../../platform/errors.ts";

/** @throws ApiError `origin_not_allowed` that names the entry */
export function checkAllowedOrigins(origins: readonly string[], livemode: boolean): void {
  origins.forEach((origin, index) => {
    if (isExactOrigin(origin) && isAllowedScheme(new URL(origin), livemode)) return;
    throw new ApiError(
      "origin_not_allowed",
      `${JSON.stringify(origin.slice(0, 200))} isn't an exact origin such as "https://shop.example". Use https, without a path or wildcard. In test mode you can also use http on localhost, *.localhost and 127.0.0.1.`,
      { param: `allowed_origins[${index}]` },
    );
  });
}

/**
 * Checks an account's origins, which apply to both modes. Live sessions ignore origins that are allowed only in test
 * mode.
 * @throws ApiError `origin_not_allowed` that names the entry
 */
export function checkOriginsOfAccount(origins: readonly string[]): void {
  checkAllowedOrigins(origins, false);
}

/** Checks an account's hosts, such as `shop.example` or `localhost:4242`. @throws ApiError `url_not_allowed` */
export function checkReturnHosts(hosts: readonly string[]): void {
  hosts.forEach((host, index) => {
    if (isExactOrigin(`https://${host}`)) return;
    throw new ApiError(
      "url_not_allowed",
      `${JSON.stringify(host.slice(0, 200))} isn't a host such as "shop.example" or "localhost:4242". Use lowercase, without a scheme, path or wildcard.`,
      { param: `return_url_hosts[${index}]` },
    );
  });
}

/**
 * Checks that a session's origins are on its account's list. If the account has no list, any origins are allowed.
 * @throws ApiError `origin_not_allowed` that names the entry
 */
export function checkWithinAccount(origins: readonly string[], ofAccount: readonly string[]): void {
  const index = ofAccount.length === 0 ? -1 : origins.findIndex((origin) => !ofAccount.includes(origin));
  if (index === -1) return;
  const message = `${JSON.stringify(origins[index])} isn't one of your account's allowed origins. Remove the origin from the request, or add it in the dashboard's settings.`;
  throw new ApiError("origin_not_allowed", message, { param: `allowed_origins[${index}]` });
}

/** @throws ApiError `url_not_allowed` that names the field */
export function checkReturnAddress(address: string, param: "return_url" | "cancel_url", livemode: boolean): void {
  // The URL parser silently repairs control characters, backslashes and missing slashes. They are refused, because other
  // parsers may read them differently.
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
    `\`${param}\` must be a full URL such as "https://shop.example/thanks". Use https, without a user name or fragment. In test mode you can also use http on localhost, *.localhost and 127.0.0.1.`,
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
  const message = `${JSON.stringify(host)} isn't one of your account's hosts for \`${param}\`. Use one of your account's hosts, or add this host in the dashboard's settings.`;
  throw new ApiError("url_not_allowed", message, { param });
}

/** Says whether `new URL(origin).origin === origin`, in ASCII and without a trailing dot or special characters. */
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
