/**
 * AES-256-GCM with associated data that names what is sealed: a ciphertext moved to another record, another account, another
 * environment or another purpose does not open. Layout: 12 bytes of random IV, the ciphertext, 16 bytes of tag (NIST SP 800-38D).
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { SealingKey } from "./keyring.ts";

/** What a sealed value is bound to. */
export interface SealedFor {
  environment: "test" | "live";
  accountId: string;
  /** The payment method. */
  recordId: string;
  purpose: "card" | "security_code";
}

export function seal(key: SealingKey, boundTo: SealedFor, plaintext: string): Buffer {
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key.secret, iv).setAAD(associatedData(key, boundTo));
  return Buffer.concat([iv, cipher.update(plaintext, "utf8"), cipher.final(), cipher.getAuthTag()]);
}

/** @throws SealBrokenError when the bytes, the key or anything they are bound to is not what was sealed. */
export function unseal(key: SealingKey, boundTo: SealedFor, sealed: Uint8Array): string {
  const bytes = Buffer.from(sealed);
  try {
    const decipher = createDecipheriv("aes-256-gcm", key.secret, bytes.subarray(0, 12), { authTagLength: 16 })
      .setAAD(associatedData(key, boundTo))
      .setAuthTag(bytes.subarray(-16));
    return decipher.update(bytes.subarray(12, -16), undefined, "utf8") + decipher.final("utf8");
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

function associatedData(key: SealingKey, boundTo: SealedFor): Buffer {
  return Buffer.from(
    JSON.stringify(["oriel.vault.1", boundTo.environment, boundTo.accountId, boundTo.recordId, boundTo.purpose, key.id]),
  );
}
