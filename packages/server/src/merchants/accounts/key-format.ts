/**
 * The format of secret keys: `oriel_sk_test_` or `oriel_sk_live_`, 30 random base62 characters (178 bits) and a
 * six-character checksum. Thanks to the checksum, typos and made-up keys are refused without a database query, and
 * secret scanners can recognize keys offline.
 */
import { randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const format = /^oriel_sk_(test|live)_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;

export function newSecretKey(livemode: boolean): string {
  const random = Array.from({ length: 30 }, () => alphabet[randomInt(alphabet.length)]).join("");
  const unchecked = `oriel_sk_${livemode ? "live" : "test"}_${random}`;
  return `${unchecked}${checksum(unchecked)}`;
}

/** Says whether a key's format and checksum are right. */
export function hasKeyFormat(key: string): boolean {
  const parts = format.exec(key);
  return parts !== null && checksum(`oriel_sk_${parts[1]}_${parts[2]}`) === parts[3];
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let i = 0; i < 6; i++) {
    digits = alphabet[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
