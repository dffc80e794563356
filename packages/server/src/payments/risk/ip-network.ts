/**
 * The network that an IP address is counted under: a single IPv4 address, or the /64 of an IPv6 address. A household or
 * server usually has a whole /64 and may use any address in it. An IPv4-mapped IPv6 address counts as its IPv4 address.
 */
import { isIP } from "node:net";

/**
 * @returns null if `ip` isn't an IP address
 * @example ipNetwork("2001:db8::42") // "2001:db8:0:0::/64"
 */
export function ipNetwork(ip: string): string | null {
  const [address = ""] = ip.split("%"); // The zone is local to a machine and not part of the address.
  switch (isIP(address)) {
    case 4:
      return address;
    case 6: {
      const groups = groupsOf(address);
      return mappedIpv4(groups) ?? `${groups.slice(0, 4).map(hex).join(":")}::/64`;
    }
    default:
      return null;
  }
}

/** The eight groups of a valid IPv6 address, with `::` and a dotted end written out. */
function groupsOf(address: string): number[] {
  const [head = "", tail] = address.replace(/\b(\d+)\.(\d+)\.(\d+)\.(\d+)$/, dottedAsGroups).split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array<string>(8 - left.length - right.length).fill("0");
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16));
}

function dottedAsGroups(_dotted: string, a: string, b: string, c: string, d: string): string {
  return `${hex(Number(a) * 256 + Number(b))}:${hex(Number(c) * 256 + Number(d))}`;
}

function mappedIpv4(groups: readonly number[]): string | null {
  const [high = 0, low = 0] = groups.slice(6);
  if (groups.slice(0, 5).some((group) => group !== 0) || groups[5] !== 0xffff) return null;
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

function hex(group: number): string {
  return group.toString(16);
}
