/**
 * Secret keys: `oriel_sk_test_` or `oriel_sk_live_`, 30 random base62 characters (178 bits) and a six-character checksum, so that a typo or a
 * made-up key is refused without a look at the database, and secret scanners can tell one offline. Kept as SHA-256 only: a value of that
 * entropy needs no slow hash. Shown once.
 */
import { createHash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Context } from "../context.ts";
import { tenantOf, type Tenant } from "../tenant.ts";
import { ApiError } from "../errors.ts";
import { newId } from "../ids.ts";
import type { Db } from "../storage/database.ts";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const format = /^oriel_sk_(test|live)_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;

/** Makes a key, stores its hash and returns the key itself, for the only time. */
export async function createApiKey(db: Db, tenant: Tenant, now: Date): Promise<string> {
  const prefix = `oriel_sk_${tenant.livemode ? "live" : "test"}_`;
  const random = Array.from({ length: 30 }, () => alphabet[randomInt(alphabet.length)]).join("");
  const key = `${prefix}${random}${checksum(prefix + random)}`;
  await db
    .insertInto("api_key")
    .values({
      id: newId("key", now),
      account_id: tenant.accountId,
      livemode: tenant.livemode,
      hash: hashOf(key),
      last4: key.slice(-4),
      created_at: now,
    })
    .execute();
  return key;
}

/**
 * Whose key this is; null stands for none that was sent.
 *
 * @throws ApiError `api_key_missing` or `api_key_invalid`; a wrong key, a revoked one and one that never was look alike.
 */
export async function authenticateApiKey(context: Pick<Context, "db" | "now">, key: string | null): Promise<Tenant> {
  if (key === null) {
    throw new ApiError("api_key_missing", "Send your secret key in the header `Authorization: Bearer oriel_sk_test_...`.");
  }
  const row = hasKeyFormat(key) ? await findKey(context.db, key) : undefined;
  if (row === undefined) {
    throw new ApiError("api_key_invalid", "This secret key is not valid. Check that it is complete and was not revoked.");
  }
  await rememberUse(context.db, row, context.now());
  return tenantOf(row);
}

/** Says whether `key` could be a key at all: its shape and its checksum. */
export function hasKeyFormat(key: string): boolean {
  const parts = format.exec(key);
  return parts !== null && checksum(`oriel_sk_${parts[1]}_${parts[2]}`) === parts[3];
}

async function findKey(db: Db, key: string) {
  return await db
    .selectFrom("api_key")
    .select(["id", "account_id", "livemode", "last_used_at"])
    .where("hash", "=", hashOf(key))
    .where("revoked_at", "is", null)
    .executeTakeFirst();
}

/** To the minute: a write on every request would cost more than the figure is worth. */
async function rememberUse(db: Db, row: { id: string; last_used_at: Date | null }, now: Date): Promise<void> {
  if (row.last_used_at !== null && now.getTime() - row.last_used_at.getTime() < 60_000) return;
  await db.updateTable("api_key").set({ last_used_at: now }).where("id", "=", row.id).execute();
}

function hashOf(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let i = 0; i < 6; i++) {
    digits = alphabet[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
