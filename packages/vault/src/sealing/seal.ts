/**
 * Envelope encryption. Each record is sealed under its own random data key, which is used once and stored next to it,
 * wrapped under a key of the key file. To change that key, only the data key is wrapped again.
 *
 * Both layers are bound to one place. A record that's moved to another ID, account, mode or purpose can't be decrypted,
 * and neither can one whose wrapping key has another name. The content isn't bound to that name, because it outlives
 * the wrapping key.
 */
import { createSecretKey, randomBytes } from "node:crypto";
import type { SealingKey, SealingPurpose } from "../keys/keyring.ts";
import type { Mode } from "../mode.ts";
import { decrypt, decryptBytes, encrypt, encryptBytes, thenWipe } from "./aead.ts";

/** What a record contains. CVCs are sealed under keys of their own, cards and credentials under the same keys. */
export type RecordPurpose = SealingPurpose | "credentials";

/** What a sealed value is bound to. */
export interface SealedFor {
  mode: Mode;
  accountNo: number;
  /** The payment method's ID, or for credentials the acquirer account's ID and their version. */
  recordId: string;
  purpose: RecordPurpose;
}

/** The stored form. */
export interface Sealed {
  /** The name of the key that wraps the data key. */
  keyId: string;
  wrappedKey: Uint8Array;
  content: Uint8Array;
}

export function seal(key: SealingKey, boundTo: SealedFor, plaintext: string): Sealed {
  return thenWipe(randomBytes(32), (dataKey) => ({
    keyId: key.id,
    wrappedKey: encryptBytes(key.secret, keyIsFor(key, boundTo), dataKey),
    content: encrypt(createSecretKey(dataKey), contentIsFor(boundTo), plaintext),
  }));
}

/** @throws SealBrokenError if the bytes, the key or anything they're bound to doesn't match */
export function unseal(key: SealingKey, boundTo: SealedFor, { wrappedKey, content }: Omit<Sealed, "keyId">): string {
  try {
    const dataKey = decryptBytes(key.secret, keyIsFor(key, boundTo), wrappedKey);
    return decrypt(
      thenWipe(dataKey, (bytes) => createSecretKey(bytes)),
      contentIsFor(boundTo),
      content,
    );
  } catch {
    throw new SealBrokenError(boundTo);
  }
}

/** Wraps the same data key under another key, without reading the content. @throws SealBrokenError */
export function rewrap(from: SealingKey, to: SealingKey, boundTo: SealedFor, wrappedKey: Uint8Array): Buffer {
  try {
    const dataKey = decryptBytes(from.secret, keyIsFor(from, boundTo), wrappedKey);
    return thenWipe(dataKey, (bytes) => encryptBytes(to.secret, keyIsFor(to, boundTo), bytes));
  } catch {
    throw new SealBrokenError(boundTo);
  }
}

/**
 * Why a record can't be decrypted. `does_not_open`: it was changed or moved, or sealed under a different key from the
 * one it names. `unknown_key`: its key isn't in this process's key file, but may be in another's. `other_mode`: the
 * acquirer's mode isn't the card's. `other_account`: the card belongs to another account.
 */
export type SealFault = "does_not_open" | "unknown_key" | "other_mode" | "other_account";

/** A stored record can't be decrypted. The error contains only the record's ID and the reason. */
export class SealBrokenError extends Error {
  override readonly name = "SealBrokenError";
  readonly record: SealedFor;
  readonly reason: SealFault;
  constructor(record: SealedFor, reason: SealFault = "does_not_open") {
    super(`The vault record ${record.recordId} can't be decrypted: ${reason}.`);
    this.record = record;
    this.reason = reason;
  }
}

const schema = "oriel.vault.2";

function keyIsFor(key: SealingKey, { mode, accountNo, recordId, purpose }: SealedFor): string {
  return JSON.stringify([schema, "data key", mode, accountNo, recordId, purpose, key.id]);
}

function contentIsFor({ mode, accountNo, recordId, purpose }: SealedFor): string {
  return JSON.stringify([schema, "content", mode, accountNo, recordId, purpose]);
}
