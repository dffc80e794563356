/** AES-256-GCM with associated data (NIST SP 800-38D). Layout: 12-byte random IV, ciphertext, 16-byte tag. */
import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from "node:crypto";

export function encrypt(secret: KeyObject, associatedData: string, plaintext: string): Buffer {
  return thenWipe(Buffer.from(plaintext), (bytes) => encryptBytes(secret, associatedData, bytes));
}

/** @throws Error if the ciphertext, key or associated data doesn't match */
export function decrypt(secret: KeyObject, associatedData: string, encrypted: Uint8Array): string {
  return thenWipe(decryptBytes(secret, associatedData, encrypted), (bytes) => bytes.toString());
}

export function encryptBytes(secret: KeyObject, associatedData: string, plaintext: Buffer): Buffer {
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", secret, iv).setAAD(Buffer.from(associatedData));
  return Buffer.concat([iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** The caller wipes the result. @throws Error for the same reasons as {@link decrypt} */
export function decryptBytes(secret: KeyObject, associatedData: string, encrypted: Uint8Array): Buffer {
  const bytes = Buffer.from(encrypted);
  const decipher = createDecipheriv("aes-256-gcm", secret, bytes.subarray(0, 12), { authTagLength: 16 })
    .setAAD(Buffer.from(associatedData))
    .setAuthTag(bytes.subarray(-16));
  const plaintext = decipher.update(bytes.subarray(12, -16));
  try {
    decipher.final(); // checks the tag; in GCM, it returns no more bytes
  } catch (error) {
    plaintext.fill(0);
    throw error;
  }
  return plaintext;
}

/**
 * Passes bytes to `use`, then overwrites them. Freed memory keeps its content until it's used again, which can take
 * minutes. Strings can't be overwritten.
 */
export function thenWipe<Bytes extends Uint8Array, Result>(bytes: Bytes, use: (bytes: Bytes) => Result): Result {
  try {
    return use(bytes);
  } finally {
    bytes.fill(0);
  }
}
