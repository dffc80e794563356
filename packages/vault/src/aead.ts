/** AES-256-GCM with associated data (NIST SP 800-38D). Layout: 12-byte random IV, ciphertext, 16-byte tag. */
import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from "node:crypto";

export function encrypt(secret: KeyObject, associatedData: string, plaintext: string): Buffer {
  return encryptBytes(secret, associatedData, Buffer.from(plaintext));
}

/** @throws Error if the ciphertext, key or associated data doesn't match */
export function decrypt(secret: KeyObject, associatedData: string, encrypted: Uint8Array): string {
  return decryptBytes(secret, associatedData, encrypted).toString();
}

export function encryptBytes(secret: KeyObject, associatedData: string, plaintext: Buffer): Buffer {
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", secret, iv).setAAD(Buffer.from(associatedData));
  return Buffer.concat([iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** @throws Error for the same reasons as {@link decrypt} */
export function decryptBytes(secret: KeyObject, associatedData: string, encrypted: Uint8Array): Buffer {
  const bytes = Buffer.from(encrypted);
  const decipher = createDecipheriv("aes-256-gcm", secret, bytes.subarray(0, 12), { authTagLength: 16 })
    .setAAD(Buffer.from(associatedData))
    .setAuthTag(bytes.subarray(-16));
  return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
}
