/**
 * Envelope encryption. What the vault stores is sealed under a data key of its own, made for this one record and used
 * once; the data key is stored beside it, wrapped under a key of the key file. Changing that key later means wrapping
 * the data key again; the content stays as it is.
 *
 * Both layers are bound to one place: a record that is moved to another id, another account, the other mode or another
 * purpose does not open, nor does one whose key is given another name. The content is not bound to the wrapping key's
 * name, since it outlives that key.
 */
import { randomBytes } from "node:crypto";
import { decrypt, decryptBytes, encrypt, encryptBytes } from "./aead.ts";
import type { SealingKey, SealingPurpose } from "./keyring.ts";
import type { Mode } from "./mode.ts";

/** What a sealed value is bound to. */
export interface SealedFor {
  mode: Mode;
  accountId: string;
  /** The payment method. */
  recordId: string;
  purpose: SealingPurpose;
}

/** What is stored. */
export interface Sealed {
  /** The name of the key that wraps the data key. */
  keyId: string;
  wrappedKey: Uint8Array;
  content: Uint8Array;
}

export function seal(key: SealingKey, boundTo: SealedFor, plaintext: string): Sealed {
  const dataKey = randomBytes(32);
  return {
    keyId: key.id,
    wrappedKey: encryptBytes(key.secret, keyIsFor(key, boundTo), dataKey),
    content: encrypt(dataKey, contentIsFor(boundTo), plaintext),
  };
}

/** @throws SealBrokenError when the bytes, the key or anything they are bound to is not what was sealed. */
export function unseal(key: SealingKey, boundTo: SealedFor, { wrappedKey, content }: Omit<Sealed, "keyId">): string {
  try {
    return decrypt(decryptBytes(key.secret, keyIsFor(key, boundTo), wrappedKey), contentIsFor(boundTo), content);
  } catch {
    throw new SealBrokenError(boundTo);
  }
}

/** The same data key under another key. The content is not touched, nor seen. @throws SealBrokenError */
export function rewrap(from: SealingKey, to: SealingKey, boundTo: SealedFor, wrappedKey: Uint8Array): Buffer {
  try {
    return encryptBytes(
      to.secret,
      keyIsFor(to, boundTo),
      decryptBytes(from.secret, keyIsFor(from, boundTo), wrappedKey),
    );
  } catch {
    throw new SealBrokenError(boundTo);
  }
}

/**
 * Why a record does not open. `does_not_open`: it was changed, moved or sealed under another key than the one it names;
 * `unknown_key`: it names one that is not in this process's key file, though it may be in another's; `other_mode`: one
 * mode's bank was to be asked about a card of the other; `other_account`: an account asked for a card of another.
 */
export type SealFault = "does_not_open" | "unknown_key" | "other_mode" | "other_account";

/** A stored card or code cannot be opened. Says which record and why, nothing else. */
export class SealBrokenError extends Error {
  override readonly name = "SealBrokenError";
  readonly record: SealedFor;
  readonly reason: SealFault;
  constructor(record: SealedFor, reason: SealFault = "does_not_open") {
    super(`The vault's record ${record.recordId} does not open: ${reason}.`);
    this.record = record;
    this.reason = reason;
  }
}

const schema = "oriel.vault.2";

function keyIsFor(key: SealingKey, { mode, accountId, recordId, purpose }: SealedFor): string {
  return JSON.stringify([schema, "data key", mode, accountId, recordId, purpose, key.id]);
}

function contentIsFor({ mode, accountId, recordId, purpose }: SealedFor): string {
  return JSON.stringify([schema, "content", mode, accountId, recordId, purpose]);
}
