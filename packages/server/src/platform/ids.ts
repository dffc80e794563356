/**
 * IDs: a prefix for the object type, then 165 bits in 33 characters of lowercase Crockford Base32:
 *
 * - 48 bits: the time in milliseconds. IDs sort by time, so a page of a list is a range of the primary key.
 * - 51 bits: the owner's tag, which is the account's number (50 bits) and the mode (1 bit). Any ID names its owner before
 *   the first query. Zeros: the object belongs to no account, such as a user, or the ID is the account's own.
 * - 66 random bits, so that IDs can't be guessed.
 *
 * @example newId("ch", now, tenant) // "ch_06f7k3m9t2xq8w5v4n1r0ybhzd7m2kq4s"
 */
import { randomBytes } from "node:crypto";
import type { Tenant } from "./tenant.ts";

/** Objects that belong to no account. */
type UnownedPrefix = "acct" | "req" | "aud" | "login" | "mail";

/** Objects of an account. Invitations, applications and their documents belong to both modes, and their tag says test. */
type OwnedPrefix = "key" | "cs" | "pm" | "dec" | "ch" | "re" | "att" | "evt" | "we" | "del" | "inv" | "app" | "doc";

export type IdPrefix = UnownedPrefix | OwnedPrefix;

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const format = /^[a-z]+_([0-9a-hjkmnp-tv-z]{33})$/;
/** The length of {@link ownerTag}. */
export const tagLength = 11;
const tagFormat = /^[0-9a-hjkmnp-tv-z]{11}$/;

const randomBits = 66n;
const tagBits = 51n;
const tagMask = (1n << tagBits) - 1n;
const randomMask = (1n << randomBits) - 1n;

export function newId(prefix: UnownedPrefix, now: Date): string;
export function newId(prefix: OwnedPrefix, now: Date, owner: Tenant): string;
export function newId(prefix: IdPrefix, now: Date, owner?: Tenant): string {
  return idOf(prefix, now, owner === undefined ? 0n : tagOf(owner), BigInt(`0x${randomBytes(9).toString("hex")}`));
}

/** The lowest ID that an object created at this moment can have. Use it to search an index by time. */
export function firstIdOf(prefix: IdPrefix, moment: Date): string {
  return idOf(prefix, moment, 0n, 0n);
}

/** The owner that an ID names, or undefined for an ID of no owner and for anything that isn't an ID. */
export function tenantOfId(id: string): Tenant | undefined {
  const digits = format.exec(id)?.[1];
  return digits === undefined ? undefined : tenantOfBits((numberOf(digits) >> randomBits) & tagMask);
}

/** The owner's tag as text, for what names an owner without an ID of ours: 3-D Secure URLs and invitations. */
export function ownerTag(owner: Tenant): string {
  return digitsOf(tagOf(owner), 55n);
}

/** Reads {@link ownerTag}. Undefined if it names no owner. */
export function tenantOfTag(tag: string): Tenant | undefined {
  return tagFormat.test(tag) ? tenantOfBits(numberOf(tag)) : undefined;
}

function tagOf({ accountNo, livemode }: Tenant): bigint {
  return (BigInt(accountNo) << 1n) | (livemode ? 1n : 0n);
}

function tenantOfBits(tag: bigint): Tenant | undefined {
  return tag >> 1n === 0n || tag > tagMask ? undefined : { accountNo: Number(tag >> 1n), livemode: (tag & 1n) === 1n };
}

function idOf(prefix: IdPrefix, moment: Date, tag: bigint, random: bigint): string {
  const bits = (((BigInt(moment.getTime()) << tagBits) | tag) << randomBits) | (random & randomMask);
  return `${prefix}_${digitsOf(bits, 165n)}`;
}

function digitsOf(value: bigint, bits: bigint): string {
  let digits = "";
  for (let shift = bits - 5n; shift >= 0n; shift -= 5n) digits += alphabet[Number((value >> shift) & 31n)];
  return digits;
}

function numberOf(digits: string): bigint {
  let value = 0n;
  for (const digit of digits) value = (value << 5n) | BigInt(alphabet.indexOf(digit));
  return value;
}
