/**
 * Refuses requests with an ambiguous host. If a request has two `Host` headers, or a target with a different host, a
 * proxy and the service behind it could each use a different one (RFC 9112, 3.2). The host decides what a request may
 * do, so it must be unambiguous.
 */

/**
 * @param target the target from the request line
 * @param rawHeaders alternating names and values, as received
 * @returns a sentence that says what is wrong, or null
 */
export function faultOfHead(target: string, rawHeaders: readonly string[]): string | null {
  if (!target.startsWith("/"))
    return "The request target must be a path that starts with a slash. Send the host only in the Host header.";
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === "host");
  return hosts.length > 1 ? "Send exactly one Host header." : null;
}
