/**
 * Ids: a prefix that says the kind, then 48 bits of milliseconds and 80 random bits in Crockford's base 32, lower case. They sort by time,
 * so a list page is a range of the primary key, and they cannot be guessed.
 *
 * @example newId("ch", new Date()) // "ch_06f7k3m9t2xq8w5v4n1r0ybhzd"
 */
import { randomBytes } from "node:crypto";

export type IdPrefix = "acct" | "key" | "cs" | "pm" | "dec" | "ch" | "re" | "att" | "evt" | "we" | "del" | "req" | "aud";

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

export function newId(prefix: IdPrefix, now: Date): string {
  const bits = (BigInt(now.getTime()) << 80n) | BigInt(`0x${randomBytes(10).toString("hex")}`);
  let text = "";
  for (let shift = 125n; shift >= 0n; shift -= 5n) text += alphabet[Number((bits >> shift) & 31n)];
  return `${prefix}_${text}`;
}
