/**
 * The format of secret keys: `oriel_sk_test_` or `oriel_sk_live_`, the account's number in nine base62 characters, 21
 * random base62 characters (125 bits) and a six-character checksum. `cli/src/test-mode-api.ts` checks the length, too.
 *
 * A key names its owner, so that it can be looked up among that account's keys. Thanks to the checksum, typos and
 * made-up keys are refused without a database query, and secret scanners can recognize keys offline.
 */
import { randomInt } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Tenant } from "../../platform/tenant.ts";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const format = /^(oriel_sk_(test|live)_([0-9A-Za-z]{9})[0-9A-Za-z]{21})([0-9A-Za-z]{6})$/;

export function newSecretKey({ accountNo, livemode }: Tenant): string {
  const random = Array.from({ length: 21 }, () => alphabet[randomInt(alphabet.length)]).join("");
  const unchecked = `oriel_sk_${livemode ? "live" : "test"}_${base62(accountNo, 9)}${random}`;
  return `${unchecked}${base62(crc32(unchecked), 6)}`;
}

/**
 * Returns the owner that a key names, or undefined if the key's format or checksum is wrong. Anyone can make up a key
 * for any owner, so this proves nothing until the key is found in the database.
 */
export function tenantOfKey(key: string): Tenant | undefined {
  const [, unchecked = "", mode, account = "", checksum] = format.exec(key) ?? [];
  if (mode === undefined || base62(crc32(unchecked), 6) !== checksum) return undefined;
  const accountNo = account.split("").reduce((value, digit) => value * 62 + alphabet.indexOf(digit), 0);
  return Number.isSafeInteger(accountNo) ? { accountNo, livemode: mode === "live" } : undefined;
}

function base62(value: number, length: number): string {
  let rest = value;
  let digits = "";
  for (let i = 0; i < length; i++) {
    digits = alphabet[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
