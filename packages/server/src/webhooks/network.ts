/**
 * The network functions used to send webhooks. Tests replace them.
 *
 * Names are resolved by querying the DNS servers directly, not with getaddrinfo. That would occupy a thread from a pool
 * of four for each name, so four names whose servers don't respond would block the whole process. It also uses
 * `/etc/hosts` and search domains, which contain names of internal machines.
 */
import { Resolver } from "node:dns/promises";
import { connect, type Socket } from "node:net";
import { networkInterfaces } from "node:os";

export interface Network {
  /** Returns all addresses of a name, or none if it can't be resolved. Called once per webhook. */
  resolve(name: string, signal: AbortSignal): Promise<string[]>;
  /** Opens a connection to an IP address, never to a name. The signal closes it. */
  connect(to: { host: string; port: number; signal: AbortSignal }): Socket;
  /** The addresses of this machine's interfaces. */
  ownAddresses(): string[];
  /** The trusted certificate authorities, in PEM. Null: those that Node trusts. */
  certificateAuthorities: string | null;
  /** The time limit for everything: DNS, connection, request and response. */
  timeLimitMs: number;
  /** Milliseconds since an arbitrary moment. Only differences are meaningful. */
  monotonicMs(): number;
  now(): Date;
}

export const realNetwork: Omit<Network, "now"> = {
  resolve: dnsResolver(),
  connect: (to) => connect({ ...to, autoSelectFamily: false }),
  ownAddresses: () => Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address)),
  certificateAuthorities: null,
  timeLimitMs: 15_000,
  monotonicMs: () => performance.now(),
};

/** @param servers as `address:port`. Defaults to the system's DNS servers. */
export function dnsResolver(servers?: string[]): Network["resolve"] {
  return async (name, signal) => {
    const resolver = new Resolver({ timeout: 2_500, tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener("abort", cancel, { once: true });
    const lookups = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    signal.removeEventListener("abort", cancel);
    return lookups.flatMap((lookup) => (lookup.status === "fulfilled" ? lookup.value : []));
  };
}
