/**
 * Where a webhook may go. A merchant names the address, the service connects to it from inside our network, so the address is hostile input:
 * only public unicast addresses, resolved once and connected to by the address that was vetted (a name that answers differently the
 * second time gains nothing). Loopback and http only where the configuration says so, which is development.
 * Source: OWASP SSRF Prevention; ranges from the IANA special-purpose registries by `ipaddr.js`.
 */
import { lookup } from "node:dns/promises";
import ipaddr from "ipaddr.js";

export interface TargetRules {
  loopback: boolean;
  http: boolean;
}

export type Target = { ok: true; url: URL } | { ok: false; reason: string };

/** Reads an address without asking the network; an address literal is vetted here already. */
export function readTarget(text: string, rules: TargetRules): Target {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) return { ok: false, reason: `${JSON.stringify(text.slice(0, 200))} is not an address.` };
  if (url.protocol !== "https:" && !(url.protocol === "http:" && rules.http))
    return { ok: false, reason: "A webhook address begins with https://." };
  if (url.username !== "" || url.password !== "" || url.hash !== "") {
    return { ok: false, reason: "A webhook address has no user name, no password and no fragment." };
  }
  const literal = url.hostname.replace(/^\[|\]$/g, "");
  if (ipaddr.isValid(literal) && !isAllowedAddress(literal, rules))
    return { ok: false, reason: `The address ${literal} is not a public one.` };
  return { ok: true, url };
}

export type ResolvedTarget =
  | { ok: true; target: { address: string; family: 4 | 6 } }
  | { ok: false; failure: "name_not_resolved" | "address_not_allowed" | "timeout" };

/** The one address to connect to, vetted. */
export async function resolveTarget(url: URL, rules: TargetRules, signal: AbortSignal): Promise<ResolvedTarget> {
  const literal = url.hostname.replace(/^\[|\]$/g, "");
  const candidates = ipaddr.isValid(literal) ? [literal] : await addressesOf(literal, signal);
  if (candidates === null) return { ok: false, failure: signal.aborted ? "timeout" : "name_not_resolved" };
  const address = candidates.find((candidate) => isAllowedAddress(candidate, rules));
  if (address === undefined) return { ok: false, failure: "address_not_allowed" };
  return { ok: true, target: { address, family: ipaddr.parse(address).kind() === "ipv4" ? 4 : 6 } };
}

/** The system's resolver cannot be interrupted, but it can be left behind. */
async function addressesOf(name: string, signal: AbortSignal): Promise<string[] | null> {
  if (signal.aborted) return null;
  const tooLong = new Promise<null>((resolve) => signal.addEventListener("abort", () => resolve(null), { once: true }));
  const found = lookup(name, { all: true }).then(
    (entries) => entries.map(({ address }) => address),
    () => null,
  );
  return await Promise.race([found, tooLong]);
}

/** Public unicast only. IPv4 hidden in IPv6 (mapped, compatible, NAT64, 6to4, Teredo) is refused whatever it hides. */
export function isAllowedAddress(address: string, rules: Pick<TargetRules, "loopback">): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  if (range === "loopback") return rules.loopback;
  if (range !== "unicast") return false;
  return parsed.kind() === "ipv4" || parsed.match(ipaddr.parse("2000::"), 3); // IPv6 global unicast, RFC 4291
}
