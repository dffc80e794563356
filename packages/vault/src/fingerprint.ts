/**
 * Makes a card number comparable without telling it, for counting how often one card is tried. A MAC of the whole
 * number under a key that is not in the database (PCI DSS 3.5.1.1), another one for each mode; the same for all
 * accounts, so it is the operator's and no merchant may see it.
 */
import { createHmac } from "node:crypto";
import type { Keys } from "./keyring.ts";
import type { Mode } from "./mode.ts";

/** HMAC-SHA-256: 32 bytes. */
export function fingerprintOf(keys: Keys, mode: Mode, number: string): Buffer {
  return createHmac("sha256", keys.fingerprint[mode]).update(number).digest();
}
