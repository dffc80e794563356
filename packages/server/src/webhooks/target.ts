/**
 * Where a webhook may go. A merchant names the address, the service connects to it from inside our network, so the
 * address is hostile input: only public unicast addresses, resolved once and connected to by an address that was vetted
 * (a name that answers differently the second time gains nothing). Loopback and http only where the rules say so, which
 * is development and test mode.
 *
 * Trusted: `ipaddr.js` to name the range of an address, the WHATWG URL parser to write every spelling of an address
 * (octal, hex, short, full-width) in the one way that connects. Refused: whatever is not known to be public. Sources:
 * OWASP SSRF Prevention; the IANA special-purpose registries; RFC 6761, 6762 (appendix G), 7686 and 8375 for names.
 */
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import type { WebhookContext } from "./context.ts";

export interface TargetRules {
  loopback: boolean;
  http: boolean;
  /** This machine's own addresses: public or not, no webhook goes there. Loopback is decided by `loopback` alone. */
  ownAddresses: readonly string[];
}

/** For the endpoints of one mode. */
export function targetRules(
  { config, network }: Pick<WebhookContext, "config" | "network">,
  livemode: boolean,
): TargetRules {
  return { loopback: config.webhooksToLoopback, http: !livemode, ownAddresses: network.ownAddresses() };
}

export type Target = { ok: true; url: URL } | { ok: false; reason: string };

/** Names that mean something on one network only. `.localhost` is not here: it is loopback, and the rules decide. */
const privateSuffixes = ["local", "internal", "lan", "home.arpa", "onion", "intranet", "private", "corp", "home"];

/**
 * Reads an address without asking the network, and writes it as it will be used; an address literal is vetted here
 * already.
 */
export function readTarget(text: string, rules: TargetRules): Target {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) return { ok: false, reason: `${JSON.stringify(text.slice(0, 200))} is not an address.` };
  if (url.protocol !== "https:" && !(url.protocol === "http:" && rules.http))
    return { ok: false, reason: `A webhook address begins with https://${rules.http ? " or http://" : ""}.` };
  if (url.username !== "" || url.password !== "" || url.hash !== "") {
    return { ok: false, reason: "A webhook address has no user name, no password and no fragment." };
  }
  const port = portOf(url);
  if (port !== 80 && port !== 443 && port < 1024)
    return { ok: false, reason: `A webhook address uses port 80, port 443 or one above 1023, not ${port}.` };
  url.hostname = url.hostname.replace(/\.$/, "");
  const host = hostOf(url);
  const reason = isIP(host) === 0 ? whyNotName(host, rules) : whyNotAddress(host, rules);
  return reason === null ? { ok: true, url } : { ok: false, reason };
}

/** The name or address in a URL, without the brackets of IPv6. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

export function portOf(url: URL): number {
  return url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
}

function whyNotAddress(address: string, rules: TargetRules): string | null {
  return isAllowedAddress(address, rules) ? null : `The address ${address} is not a public one.`;
}

function whyNotName(name: string, rules: TargetRules): string | null {
  if (isLocalhost(name))
    return rules.loopback ? null : `The name ${name} is this machine, and webhooks go to public ones.`;
  const labels = name.split(".");
  if (name.length > 253 || !labels.every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label)))
    return `${JSON.stringify(name.slice(0, 200))} is not a host name.`;
  if (labels.length === 1) return `The name ${name} has no dot, so it is not a public one.`;
  const suffix = privateSuffixes.find((known) => name.endsWith(`.${known}`) || name === known);
  return suffix === undefined ? null : `Names under .${suffix} are not public ones.`;
}

export type VettedTarget =
  | { ok: true; /** One to four. */ addresses: string[] }
  | { ok: false; failure: "name_not_resolved" | "address_not_allowed" | "timeout" };

/** More addresses of one name than these are not tried. */
const maxAddresses = 4;

/**
 * The addresses to connect to, vetted, IPv4 first: more networks have it. The name is asked for once.
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

/** A resolver that does not answer is left behind when time is up. */
async function addressesOf(
  host: string,
  resolve: (name: string, signal: AbortSignal) => Promise<string[]>,
  signal: AbortSignal,
): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  if (isLocalhost(host)) return ["127.0.0.1", "::1"]; // RFC 6761: nobody is asked for it
  if (signal.aborted) return [];
  const tooLong = new Promise<string[]>((give) => signal.addEventListener("abort", () => give([]), { once: true }));
  return await Promise.race([resolve(host, signal).catch(() => []), tooLong]);
}

function isLocalhost(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost");
}

/**
 * Public unicast only, in the one spelling that is connected to without asking a resolver. IPv4 hidden in IPv6 (mapped,
 * compatible, NAT64, 6to4, Teredo) is refused whatever it hides.
 */
export function isAllowedAddress(address: string, rules: Omit<TargetRules, "http">): boolean {
  if (isIP(address) === 0 || address.includes("%")) return false;
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  if (range === "loopback") return rules.loopback;
  if (range !== "unicast" || rules.ownAddresses.some((own) => isSameAddress(own, address))) return false;
  return parsed.kind() === "ipv4" || parsed.match(ipaddr.parse("2000::"), 3); // IPv6 global unicast, RFC 4291
}

/** The same one, however each is spelled. */
export function isSameAddress(one: string, other: string): boolean {
  return isIP(one) !== 0 && isIP(other) !== 0 && ipaddr.parse(one).toString() === ipaddr.parse(other).toString();
}
