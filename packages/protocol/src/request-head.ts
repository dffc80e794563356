/**
 * Refuses requests whose host isn't the same for everyone who reads them. A proxy and a service behind it may each
 * believe another of two `Host` headers, or one the header and the other the target (RFC 9112, 3.2). Which host was
 * asked for decides what a request may do here, so there must be one answer.
 */

/**
 * @param target as in the request line
 * @param rawHeaders names and values in turn, as they came
 * @returns what is wrong, as a sentence; null for nothing
 */
export function faultOfHead(target: string, rawHeaders: readonly string[]): string | null {
  if (!target.startsWith("/"))
    return "The request target must be a path that begins with a slash. Send the host in the Host header only.";
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === "host");
  return hosts.length > 1 ? "Send one Host header." : null;
}
