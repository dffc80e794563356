/**
 * Makes card numbers comparable without revealing them, to count how often a card is used. It's a MAC of the whole
 * number with a key outside the database (PCI DSS 3.5.1.1), which differs by mode. It's the same for all accounts, so
 * merchants must not see it.
 */
import { createHmac } from "node:crypto";
import type { Keys } from "../keys/keyring.ts";
import type { Mode } from "../mode.ts";

/** HMAC-SHA-256: 32 bytes. */
export function fingerprintOf(keys: Keys, mode: Mode, number: string): Buffer {
  return createHmac("sha256", keys.fingerprint[mode]).update(number).digest();
}
