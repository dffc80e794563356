/**
 * Decides where a webhook may go. The merchant chooses the URL and the service connects to it from inside its network,
 * so the URL is hostile input. Only public unicast addresses are allowed. A name is resolved once, and the connection
 * uses an address that was checked, so DNS rebinding doesn't work. Loopback is allowed only in development, and http
 * only in test mode.
 *
 * Trusted: `ipaddr.js` to classify an address, and the WHATWG URL parser to normalize every spelling of an address
 * (octal, hex, short, full-width). Everything that isn't known to be public is refused. Sources: OWASP SSRF Prevention;
 * the IANA special-purpose registries; RFC 6761, 6762 (appendix G), 7686 and 8375 for names.
 */
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import type { WebhookContext } from "./context.ts";

export interface TargetRules {
  loopback: boolean;
  http: boolean;
  /**
   * This machine's own addresses, to which no webhook goes, even if they are public. Loopback depends on `loopback`
   * alone.
   */
  ownAddresses: readonly string[];
}

/** The rules for the endpoints of a mode. */
export function targetRules(
  { config, network }: Pick<WebhookContext, "config" | "network">,
  livemode: boolean,
): TargetRules {
  return { loopback: config.webhooksToLoopback, http: !livemode, ownAddresses: network.ownAddresses() };
}

export type Target = { ok: true; url: URL } | { ok: false; reason: string };

/** Suffixes of names that only exist on a private network. `.localhost` isn't included, because it is loopback. */
const privateSuffixes = ["local", "internal", "lan", "home.arpa", "onion", "intranet", "private", "corp", "home"];

/** Parses and normalizes a URL without using the network. If the host is an IP address, checks that too. */
export function readTarget(text: string, rules: TargetRules): Target {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) return { ok: false, reason: `${JSON.stringify(text.slice(0, 200))} isn't a valid URL.` };
  if (url.protocol !== "https:" && !(url.protocol === "http:" && rules.http))
    return { ok: false, reason: `A webhook URL must start with https://${rules.http ? " or http://" : ""}.` };
  if (url.username !== "" || url.password !== "" || url.hash !== "") {
    return { ok: false, reason: "A webhook URL can't contain a user name, password or fragment." };
  }
  const port = portOf(url);
  if (port !== 80 && port !== 443 && port < 1024)
    return { ok: false, reason: `A webhook URL must use port 80, port 443 or a port above 1023, not ${port}.` };
  url.hostname = url.hostname.replace(/\.$/, "");
  const host = hostOf(url);
  const reason = isIP(host) === 0 ? nameProblem(host, rules) : addressProblem(host, rules);
  return reason === null ? { ok: true, url } : { ok: false, reason };
}

/** The host of a URL, without the brackets of IPv6. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

export function portOf(url: URL): number {
  return url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
}

function addressProblem(address: string, rules: TargetRules): string | null {
  return isAllowedAddress(address, rules)
    ? null
    : `The address ${address} isn't public. Webhooks can be sent only to public addresses.`;
}

function nameProblem(name: string, rules: TargetRules): string | null {
  if (isLocalhost(name))
    return rules.loopback
      ? null
      : `The host name ${name} refers to this machine. Webhooks can be sent only to public addresses.`;
  const labels = name.split(".");
  if (name.length > 253 || !labels.every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label)))
    return `${JSON.stringify(name.slice(0, 200))} isn't a valid host name.`;
  if (labels.length === 1) return `The host name ${name} has no dot, so it isn't public. Use a full domain name.`;
  const suffix = privateSuffixes.find((known) => name.endsWith(`.${known}`) || name === known);
  return suffix === undefined ? null : `Host names under .${suffix} aren't public. Use a public domain name.`;
}

export type VettedTarget =
  | { ok: true; /** One to four. */ addresses: string[] }
  | { ok: false; failure: "name_not_resolved" | "address_not_allowed" | "timeout" };

/** At most this many addresses of a name are tried. */
const maxAddresses = 4;

/**
 * Returns the checked addresses to connect to, IPv4 first because more networks support it. Resolves the name once.
 *
 * @param url has passed {@link readTarget}
 */
export async function vetTarget(
  url: URL,
  rules: TargetRules,
  resolve: (name: string, signal: AbortSignal) => Promise<string[]>,
  signal: AbortSignal,
): Promise<VettedTarget> {
  const found = await addressesOf(hostOf(url), resolve, signal);
  if (signal.aborted) return { ok: false, failure: "timeout" };
  if (found.length === 0) return { ok: false, failure: "name_not_resolved" };
  const addresses = found.filter((address) => isAllowedAddress(address, rules)).sort((a, b) => isIP(a) - isIP(b));
  if (addresses.length === 0) return { ok: false, failure: "address_not_allowed" };
  return { ok: true, addresses: addresses.slice(0, maxAddresses) };
}

/** Stops waiting for the resolver when the signal aborts. */
async function addressesOf(
  host: string,
  resolve: (name: string, signal: AbortSignal) => Promise<string[]>,
  signal: AbortSignal,
): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  if (isLocalhost(host)) return ["127.0.0.1", "::1"]; // RFC 6761: never sent to DNS
  if (signal.aborted) return [];
  const tooLong = new Promise<string[]>((give) => signal.addEventListener("abort", () => give([]), { once: true }));
  return await Promise.race([resolve(host, signal).catch(() => []), tooLong]);
}

function isLocalhost(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost");
}

/**
 * Whether the rules allow an IP address: only public unicast ones, in a form that needs no resolver. IPv4 embedded in
 * IPv6 (mapped, compatible, NAT64, 6to4, Teredo) is refused whatever the IPv4 address is.
 */
export function isAllowedAddress(address: string, rules: Omit<TargetRules, "http">): boolean {
  if (isIP(address) === 0 || address.includes("%")) return false;
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  if (range === "loopback") return rules.loopback;
  if (range !== "unicast" || rules.ownAddresses.some((own) => isSameAddress(own, address))) return false;
  return parsed.kind() === "ipv4" || parsed.match(ipaddr.parse("2000::"), 3); // IPv6 global unicast, RFC 4291
}

/** Whether two IP addresses are the same, whatever their spelling. */
export function isSameAddress(one: string, other: string): boolean {
  return isIP(one) !== 0 && isIP(other) !== 0 && ipaddr.parse(one).toString() === ipaddr.parse(other).toString();
}
