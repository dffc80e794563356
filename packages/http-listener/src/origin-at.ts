import { isIPv6 } from "node:net";

/** The addresses that stand for all addresses of the machine can be listened on, but not connected to. */
const loopbackOf: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/**
 * The origin at which this machine reaches a server that listens on `host`.
 * @example originAt("::", 4000) // "http://[::1]:4000"
 */
export function originAt(host: string, port: number): string {
  const reached = loopbackOf[host] ?? host;
  return `http://${isIPv6(reached) ? `[${reached}]` : reached}:${port}`;
}
