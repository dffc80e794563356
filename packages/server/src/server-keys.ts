/**
 * The service's own keys (the vault has others, which this code never sees): a file in the data directory, readable by its owner only.
 *
 * - `seal` encrypts what the database keeps but must not show: signing secrets, stored answers.
 * - `token` signs the frame's tokens.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { decrypt, encrypt, newSecret, openKeyFile, readSecret } from "@oriel/vault";

export interface ServerKeys {
  /** Encrypts `text` so that it opens only with the same `boundTo`. */
  seal(text: string, boundTo: string): Buffer;
  /** @throws Error when the bytes or `boundTo` are not what was sealed. */
  unseal(sealed: Uint8Array, boundTo: string): string;
  /** Authenticates `text`: HMAC-SHA256, base64url. */
  sign(text: string): string;
  isSignatureOf(signature: string, text: string): boolean;
}

/** @throws KeyFileError */
export function openServerKeys(path: string): ServerKeys {
  return openKeyFile(path, newFile, parseFile);
}

/** Keys for one process that are written nowhere: for tests. */
export function newServerKeys(): ServerKeys {
  return parseFile(newFile());
}

function newFile(): object {
  return { version: 1, seal: newSecret(), token: newSecret() };
}

function parseFile(content: unknown): ServerKeys {
  const file = content as { seal: unknown; token: unknown }; // what is in it is looked at by readSecret
  const [sealKey, tokenKey] = [readSecret(file.seal), readSecret(file.token)];
  const sign = (text: string) => createHmac("sha256", tokenKey).update(text).digest("base64url");
  return {
    sign,
    isSignatureOf(signature, text) {
      const expected = Buffer.from(sign(text));
      const actual = Buffer.from(signature);
      return actual.length === expected.length && timingSafeEqual(actual, expected);
    },
    seal: (text, boundTo) => encrypt(sealKey, boundTo, text),
    unseal: (sealed, boundTo) => decrypt(sealKey, boundTo, sealed),
  };
}
