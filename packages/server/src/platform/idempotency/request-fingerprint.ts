/** Two requests are the same if their method, path and body match. The order of names in the body doesn't matter. */
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

/** Writes JSON with sorted names. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(",")}}`;
  }
  return JSON.stringify(value) ?? "";
}
