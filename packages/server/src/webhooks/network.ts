/**
 * The internet, as much of it as sending a webhook needs. Tests hand in a smaller one.
 *
 * Names are asked of the DNS servers directly, not by getaddrinfo: that one occupies a thread of a pool of four until
 * it has an answer, so four names whose servers never answer would hold up the whole process; and it believes
 * `/etc/hosts` and search domains, which name machines of ours.
 */
import { Resolver } from "node:dns/promises";
import { connect, type Socket } from "node:net";
import { networkInterfaces } from "node:os";

export interface Network {
  /** Every address of a name, none if nobody knows it. Asked once for each webhook. */
  resolve(name: string, signal: AbortSignal): Promise<string[]>;
  /** Opens a connection to an address, never to a name. The signal ends it. */
  connect(to: { host: string; port: number; signal: AbortSignal }): Socket;
  /** The addresses of this machine's interfaces. */
  ownAddresses(): string[];
  /** Who is believed about certificates, in PEM. Null: those that Node believes. */
  certificateAuthorities: string | null;
  /** For all of it: the name, the connection, the request and the answer. */
  timeLimitMs: number;
  /** Milliseconds since whenever: only differences count. */
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

/** @param servers `address:port`; by default those that the system is configured with */
export function dnsResolver(servers?: string[]): Network["resolve"] {
  return async (name, signal) => {
    const resolver = new Resolver({ timeout: 2_500, tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener("abort", cancel, { once: true });
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    signal.removeEventListener("abort", cancel);
    return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  };
}
