/**
 * Checks the origins that may frame the checkout and the URLs that customers are sent to. They end up in a
 * `frame-ancestors` header and in a redirect, so anything ambiguous is refused when the session is created. Only https
 * is allowed. Test mode also allows http on localhost. Internationalized hosts are stored in ASCII, as browsers send them.
 */
import { domainToUnicode } from "node:url";
import { ApiError } from "../../platform/errors.ts";

/**
 * Writes an internationalized host in ASCII: `https://münchen.example/a` becomes `https://xn--mnchen-3ya.example/a`. Text
 * with another spelling of a host, such as uppercase or full-width letters, is returned unchanged, so it's refused.
 */
export function withAsciiHost(text: string): string {
  const [start = "", host = ""] = /^(?:https?:\/\/)([^/?#:]*)/.exec(text) ?? [];
  if (!/[^\p{ASCII}]/u.test(host) || !URL.canParse(text)) return text;
  const { protocol, hostname } = new URL(text);
  if (host.normalize("NFC") !== domainToUnicode(hostname)) return text;
  return `${protocol}//${hostname}${text.slice(start.length)}`;
}

/** Like {@link withAsciiHost}, for a host without a scheme. */
export function asciiHost(host: string): string {
  return withAsciiHost(`https://${host}`).slice("https://".length);
}

/** @throws ApiError `origin_not_allowed` that names the entry */
export function checkAllowedOrigins(origins: readonly string[], livemode: boolean): void {
  origins.forEach((origin, index) => {
    // Browsers don't match IPv6 addresses in `frame-ancestors` (https://www.w3.org/TR/CSP3/#match-hosts).
    if (isExactOrigin(origin) && !origin.includes("[") && isAllowedScheme(new URL(origin), livemode)) return;
    throw new ApiError(
      "origin_not_allowed",
      `${JSON.stringify(origin.slice(0, 200))} isn't an exact origin such as "https://shop.example". Use https and a lowercase host, without a path, wildcard or IPv6 address. In test mode you can also use http on localhost, *.localhost and 127.0.0.1.`,
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
  const exact = written !== null && isExactOrigin(written.origin) && isFollowedByPath(address, written.origin);
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
    `\`${param}\` must be a full URL such as "https://shop.example/thanks". Use https and a lowercase host, without a user name or fragment. In test mode you can also use http on localhost, *.localhost, 127.0.0.1 and [::1].`,
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

/** The parser also drops invisible characters after a host. */
function isFollowedByPath(address: string, origin: string): boolean {
  return address.startsWith(origin) && ["", "/", "?", ":"].includes(address.charAt(origin.length));
}

function isAllowedScheme(url: URL, livemode: boolean): boolean {
  if (url.protocol === "https:") return true;
  const { hostname } = url;
  const isThisMachine = ["localhost", "127.0.0.1", "[::1]"].includes(hostname) || hostname.endsWith(".localhost");
  return url.protocol === "http:" && isThisMachine && !livemode;
}
