/**
 * Normalizes X-Forwarded-For, which some proxies write with ports (`203.0.113.7:51234`, `[2001:db8::1]:443`), brackets
 * or quotes. Fastify compares entries literally with the trusted networks. If the entries had ports, a trusted proxy
 * wouldn't be recognized, and each connection would look like a new client.
 */
import { isIP } from "node:net";
import type { FastifyInstance } from "fastify";

/**
 * Replaces entries that aren't IP addresses, so that arbitrary text from a caller is never stored or counted as a
 * client.
 */
const unreadable = "unknown";
/** Longer than any IP address with its port, brackets and quotes. */
const maxEntryLength = 64;

/** Must be registered before every hook that reads `request.ip`. */
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
  const text = withoutQuotes(entry.trim());
  if (text.length > maxEntryLength) return unreadable;
  const [, bracketed, dotted] = /^\[([^\]]*)\](?::\d{1,5})?$|^([\d.]+):\d{1,5}$/.exec(text) ?? [];
  const [address, versions] =
    bracketed !== undefined ? [bracketed, [6]] : dotted !== undefined ? [dotted, [4]] : [text, [4, 6]];
  return versions.includes(isIP(address)) ? address : unreadable;
}

function withoutQuotes(text: string): string {
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}
