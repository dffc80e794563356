/**
 * The service's own keys (the vault has others, which this code never sees): a file in `ORIEL_KEY_DIR`, readable by its
 * owner only.
 *
 * - `seal` encrypts what the database keeps but must not show: signing secrets, stored answers.
 * - `token` signs the frame's tokens, and is the key of the digests by which a reused idempotency key is told which
 *   fields differ.
 *
 * What was made under one file opens under no other, so the database remembers of each key what tells it apart ({@link
 * checkServerKeys}).
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { decrypt, encrypt, newSecret, openKeyFile, readSecret } from "@oriel/vault";
import { OperatorError } from "./operator-error.ts";
import type { Db } from "./storage/database.ts";

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

/**
 * Makes sure that the key file belongs to the database; one that the database has not seen yet is registered. To be
 * called at start, before anything is made under the keys.
 *
 * @throws OperatorError
 */
export async function checkServerKeys(db: Db, keys: ServerKeys, path: string): Promise<void> {
  const constant = "oriel.server.keys.1";
  const seen = { seal: keys.seal(constant, constant), token: Buffer.from(keys.sign(constant)) };
  for (const [name, check_value] of Object.entries(seen)) {
    await db
      .insertInto("server_key")
      .values({ name, check_value })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  for (const { name, check_value } of await db.selectFrom("server_key").selectAll().execute()) {
    const fits = name === "seal" ? opens(check_value) : keys.isSignatureOf(check_value.toString(), constant);
    if (fits) continue;
    throw new OperatorError(
      `The key file ${path} does not belong to this database: it opens nothing of what is in it. Restore the file that does, or point DATABASE_URL at the other database.`,
    );
  }

  function opens(sealed: Buffer): boolean {
    try {
      return keys.unseal(sealed, constant) === constant;
    } catch {
      return false;
    }
  }
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
