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
import { randomFillSync } from "node:crypto";
import type { Tenant } from "./tenant.ts";

/** Objects that belong to no account. */
type UnownedPrefix = "acct" | "req" | "aud" | "login" | "mail";

/** Objects of an account. Invitations, applications and their documents belong to both modes, and their tag says test. */
type OwnedPrefix =
  | "key"
  | "cs"
  | "pm"
  | "cus"
  | "dec"
  | "ch"
  | "re"
  | "att"
  | "evt"
  | "ctr"
  | "we"
  | "del"
  | "inv"
  | "app"
  | "doc"
  | "aa"
  | "dp"
  | "na";

export type IdPrefix = UnownedPrefix | OwnedPrefix;

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const format = /^[a-z]+_([0-9a-hjkmnp-tv-z]{33})$/;
/** The length of {@link ownerTag}. */
export const tagLength = 11;
const tagFormat = /^[0-9a-hjkmnp-tv-z]{11}$/;

const randomBits = 66n;
const tagBits = 51n;
const tagMask = (1n << tagBits) - 1n;

export function newId(prefix: UnownedPrefix, now: Date): string;
export function newId(prefix: OwnedPrefix, now: Date, owner: Tenant): string;
export function newId(prefix: IdPrefix, now: Date, owner?: Tenant): string {
  const head = headOf(now.getTime(), owner === undefined ? 0n : tagOf(owner));
  let digits = alphabet.charAt(head.low | (randomByte() & 1));
  for (let i = 0; i < 13; i++) digits += alphabet.charAt(randomByte() & 31);
  return `${prefix}_${head.digits}${digits}`;
}

/** Random bytes that haven't been used yet. Reading many at a time is faster. */
const pool = Buffer.alloc(4096);
let used = pool.length;

function randomByte(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool.readUInt8(used++);
}

interface Head {
  timeMs: number;
  tag: bigint;
  /** The first 19 digits: 95 of the 99 bits of time and tag. */
  digits: string;
  /** The other 4 bits, as the upper bits of the next digit. */
  low: number;
}

let lastHead: Head | null = null;

/** The time and the tag. A request creates several IDs in the same millisecond, so the last one is kept. */
function headOf(timeMs: number, tag: bigint): Head {
  if (lastHead?.timeMs === timeMs && lastHead.tag === tag) return lastHead;
  const bits = (BigInt(timeMs) << tagBits) | tag;
  return (lastHead = { timeMs, tag, digits: digitsOf(bits >> 4n, 95n), low: Number(bits & 15n) << 1 });
}

/** The lowest ID that an object created at this moment can have. Use it to search an index by time. */
export function firstIdOf(prefix: IdPrefix, moment: Date): string {
  return `${prefix}_${digitsOf(BigInt(moment.getTime()) << (tagBits + randomBits), 165n)}`;
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
