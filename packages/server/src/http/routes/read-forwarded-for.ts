/**
 * X-Forwarded-For as proxies really write it: with ports (`203.0.113.7:51234`, `[2001:db8::1]:443`), in brackets, in
 * quotation marks. Fastify compares an entry as it stands with the trusted networks, so a port would make a stranger of
 * a trusted proxy, and a new customer of each connection.
 */
import { isIP } from "node:net";
import type { FastifyInstance } from "fastify";

/** Takes the place of what is no address, so that nothing a stranger wrote is kept or counted as somebody's own. */
const unreadable = "unknown";

/** Must come before every hook that looks at `request.ip`. */
export function readForwardedFor(app: FastifyInstance): void {
  app.addHook("onRequest", async ({ raw: { headers } }) => {
    const name = "x-forwarded-for";
    const entries = headers[name];
    if (typeof entries === "string") headers[name] = plainAddresses(entries);
  });
}

/** @example plainAddresses("[2001:db8::1]:443, 10.0.0.1:80") // "2001:db8::1, 10.0.0.1" */
export function plainAddresses(entries: string): string {
  return entries.split(",").map(plainAddress).join(", ");
}

function plainAddress(entry: string): string {
  const [, text = ""] = /^\s*("?)(.*?)\1\s*$/.exec(entry)?.slice(1) ?? [];
  const [, bracketed, dotted] = /^\[([^\]]*)\](?::\d{1,5})?$|^([\d.]+):\d{1,5}$/.exec(text) ?? [];
  const [address, versions] =
    bracketed !== undefined ? [bracketed, [6]] : dotted !== undefined ? [dotted, [4]] : [text, [4, 6]];
  return versions.includes(isIP(address)) ? address : unreadable;
}
