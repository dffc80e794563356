/** Checks a secret key. Hashes are compared in constant time, which also hides the key's length. */
import { createHash, timingSafeEqual } from "node:crypto";

/** Returns a function that checks whether a presented value is the key. */
export function checkKey(key: string): (presented: unknown) => boolean {
  const expected = sha256(key);
  return (presented) => typeof presented === "string" && timingSafeEqual(sha256(presented), expected);
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
