/**
 * The service's own keys, in a file in `ORIEL_KEY_DIR` that only its owner can read. The vault has other keys, which
 * this code never sees.
 *
 * - `seal` encrypts database values that must not be readable: signing secrets, stored responses.
 * - `token` signs the iframe's tokens. It also keys the digests that show which fields differ when an idempotency key
 *   is reused.
 *
 * Values created with one key file are useless with another, so the database stores a check value for each key ({@link
 * checkServerKeys}).
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { OperatorError } from "@oriel/commands/operator-error";
import { decrypt, encrypt, newSecret, openKeyFile, readSecret } from "@oriel/vault";
import type { Db } from "./storage/database.ts";

export interface ServerKeys {
  /** Encrypts `text`. Decrypting it requires the same `boundTo`. */
  seal(text: string, boundTo: string): Buffer;
  /** @throws Error if the bytes or `boundTo` have changed */
  unseal(sealed: Uint8Array, boundTo: string): string;
  /** Authenticates `text`: HMAC-SHA256, base64url. */
  sign(text: string): string;
  isSignatureOf(signature: string, text: string): boolean;
}

/** @throws KeyFileError */
export function openServerKeys(path: string): ServerKeys {
  return openKeyFile(path, newFile, parseFile);
}

/** Creates keys for tests, without a file. */
export function newServerKeys(): ServerKeys {
  return parseFile(newFile());
}

/**
 * Checks that the key file belongs to the database, and registers its keys if the database has none yet. Call this at
 * startup, before anything is encrypted or signed.
 *
 * @throws OperatorError if the key file belongs to another database
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
      `The key file ${path} does not belong to this database and can't decrypt its data. Restore the right key file, or set DATABASE_URL to the database that this file belongs to.`,
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
  const file = content as { seal: unknown; token: unknown }; // readSecret checks both values
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
