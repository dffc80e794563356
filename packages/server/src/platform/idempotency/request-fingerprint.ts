/** What makes two requests the same: method, path and body, whatever the order of the body's keys. */
import { createHash } from "node:crypto";

export interface Fingerprint {
  hash: Buffer;
  body: unknown;
}

export function fingerprintOf(method: string, path: string, body: unknown): Fingerprint {
  const hash = createHash("sha256")
    .update(`${method}\n${path}\n${canonicalJson(body)}`)
    .digest();
  return { hash, body };
}

/** JSON with sorted keys. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(",")}}`;
  }
  return JSON.stringify(value) ?? "";
}
