/**
 * The service's listener. It limits connections per client, where a client is one IPv4 address or one IPv6 /64. Trusted
 * proxies are exempt, because their connections carry the requests of many clients.
 */
import { BlockList, isIPv6 } from "node:net";
import { HttpListener } from "@oriel/http-listener";
import { ipNetwork } from "../payments/risk/ip-network.ts";
import type { Config } from "../platform/config.ts";
import type { Log } from "../platform/log.ts";

/** At most one log line a minute, so that an attack doesn't flood the log. */
const warnEveryMs = 60_000;

export function openListener(
  { trustProxy, connections }: Pick<Config, "trustProxy" | "connections">,
  log: Log,
): HttpListener {
  const proxies = new BlockList();
  for (const network of trustProxy) {
    const [address = "", prefix] = network.split("/");
    proxies.addSubnet(address, Number(prefix), familyOf(address));
  }
  let warnedAt = -Infinity;
  return new HttpListener({
    limits: { connections: connections.total, connectionsPerClient: connections.perClient },
    clientOf: (address) => (proxies.check(address, familyOf(address)) ? null : (ipNetwork(address) ?? address)),
    onRefused: (client, limit) => {
      if (performance.now() - warnedAt < warnEveryMs) return;
      warnedAt = performance.now();
      if (limit === "connections")
        log.warn(
          {},
          `Refusing connections because ${connections.total} are already open. To allow more, raise ORIEL_MAX_CONNECTIONS.`,
        );
      else
        log.warn(
          { client },
          `Refusing connections from a client that already has ${connections.perClient} open. If the client is your proxy, add its network to ORIEL_TRUST_PROXY. Otherwise, to allow more, raise ORIEL_MAX_CONNECTIONS_PER_CLIENT.`,
        );
    },
  });
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIPv6(address) ? "ipv6" : "ipv4";
}
