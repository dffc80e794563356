/**
 * Ids: a prefix that says the kind, then 48 bits of milliseconds and 80 random bits in Crockford's base 32, lower case.
 * They sort by time, so a list page is a range of the primary key, and they cannot be guessed.
 *
 * @example newId("ch", new Date()) // "ch_06f7k3m9t2xq8w5v4n1r0ybhzd"
 */
import { randomBytes } from "node:crypto";

export type IdPrefix =
  | "acct"
  | "key"
  | "cs"
  | "pm"
  | "dec"
  | "ch"
  | "re"
  | "att"
  | "evt"
  | "we"
  | "del"
  | "req"
  | "aud"
  | "login"
  | "inv"
  | "app"
  | "doc"
  | "mail";

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

export function newId(prefix: IdPrefix, now: Date): string {
  return write(prefix, now, BigInt(`0x${randomBytes(10).toString("hex")}`));
}

/** The lowest id that something made at this moment can have: a time as a place in an index. */
export function firstIdOf(prefix: IdPrefix, moment: Date): string {
  return write(prefix, moment, 0n);
}

function write(prefix: IdPrefix, moment: Date, random: bigint): string {
  const bits = (BigInt(moment.getTime()) << 80n) | random;
  let text = "";
  for (let shift = 125n; shift >= 0n; shift -= 5n) text += alphabet[Number((bits >> shift) & 31n)];
  return `${prefix}_${text}`;
}
