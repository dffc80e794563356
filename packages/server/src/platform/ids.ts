/**
 * IDs: a prefix for the object type, then 48 bits of milliseconds and 80 random bits in lowercase Crockford Base32.
 * They can't be guessed, and they sort by time, so that a page of a list is a range of the primary key.
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

/** The lowest ID that an object created at this moment can have. Use it to search an index by time. */
export function firstIdOf(prefix: IdPrefix, moment: Date): string {
  return write(prefix, moment, 0n);
}

function write(prefix: IdPrefix, moment: Date, random: bigint): string {
  const bits = (BigInt(moment.getTime()) << 80n) | random;
  let text = "";
  for (let shift = 125n; shift >= 0n; shift -= 5n) text += alphabet[Number((bits >> shift) & 31n)];
  return `${prefix}_${text}`;
}
