/**
 * Decrypts a stored record even during a rotation. Between reading the row and reading the file, a rotation may wrap
 * the data key under another key and remove the old one. A record that can't be decrypted is audited and refused, and
 * nothing of it is returned.
 */
import type { Keyring, SealingKey, SealingPurpose } from "../keys/keyring.ts";
import type { VaultAudit, WhyBroken } from "../vault-audit.ts";
import { SealBrokenError, type Sealed, type SealedFor } from "./seal.ts";

/**
 * The row is read again if its key is unknown. One more read is enough, unless rotations follow each other without a
 * pause.
 */
const maxReadings = 4;

/**
 * Reads a record that's sealed under a card key, together with that key. Returns null if there's no record. The key is
 * null if it's still unknown after several reads.
 */
export async function readWithKey<T>(
  read: () => Promise<T | null>,
  keyIdOf: (stored: T) => string,
  keyring: Keyring,
  now: Date,
): Promise<{ stored: T; key: SealingKey | null } | null> {
  for (let reading = 1; ; reading++) {
    const stored = await read();
    if (stored === null) return null;
    const key = findKey(keyring, "card", keyIdOf(stored), now);
    if (key !== null || reading === maxReadings) return { stored, key };
  }
}

/** Finds a key. For an unknown one the file is read again, because another process may just have created it. */
export function findKey(keyring: Keyring, purpose: SealingPurpose, id: string, now: Date): SealingKey | null {
  const isIt = (key: SealingKey) => key.id === id;
  return keyring.keys(now)[purpose].find(isIt) ?? keyring.reread()[purpose].find(isIt) ?? null;
}

/** @throws SealBrokenError */
export async function openSealed<T>(
  sealed: Sealed,
  key: SealingKey | null,
  record: SealedFor,
  read: (key: SealingKey, record: SealedFor, sealed: Sealed) => T,
  audit: VaultAudit,
): Promise<T> {
  if (key === null) throw await auditBroken({ reason: "unknown_key" }, record, sealed, audit);
  try {
    return read(key, record, sealed);
  } catch {
    throw await auditBroken({ reason: "does_not_open" }, record, sealed, audit);
  }
}

/** Returns the error to throw. */
export async function auditBroken(
  why: WhyBroken,
  record: SealedFor,
  { keyId }: Sealed,
  audit: VaultAudit,
): Promise<SealBrokenError> {
  await audit({ what: "seal_broken", ...why, record, keyId });
  return new SealBrokenError(record, why.reason);
}
