/**
 * What the vault stores is sealed for one place: a ciphertext moved to another record, another account, the other mode or another purpose does
 * not open.
 */
import { decrypt, encrypt } from "./aead.ts";
import type { SealingKey } from "./keyring.ts";

/** What a sealed value is bound to. */
export interface SealedFor {
  mode: "test" | "live";
  accountId: string;
  /** The payment method. */
  recordId: string;
  purpose: "card" | "cvc";
}

export function seal(key: SealingKey, boundTo: SealedFor, plaintext: string): Buffer {
  return encrypt(key.secret, associatedData(key, boundTo), plaintext);
}

/** @throws SealBrokenError when the bytes, the key or anything they are bound to is not what was sealed. */
export function unseal(key: SealingKey, boundTo: SealedFor, sealed: Uint8Array): string {
  try {
    return decrypt(key.secret, associatedData(key, boundTo), sealed);
  } catch {
    throw new SealBrokenError(boundTo.recordId);
  }
}

/** A stored card or code is not what was stored. Says which record, nothing else. */
export class SealBrokenError extends Error {
  override readonly name = "SealBrokenError";
  constructor(recordId: string) {
    super(`The vault's record ${recordId} does not open: it was changed, moved, or sealed under another key.`);
  }
}

function associatedData(key: SealingKey, { mode, accountId, recordId, purpose }: SealedFor): string {
  return JSON.stringify(["oriel.vault.1", mode, accountId, recordId, purpose, key.id]);
}
