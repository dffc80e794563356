/**
 * Secret keys of an account. Kept as SHA-256 only: a value of 178 random bits needs no slow hash. Shown once.
 *
 * ```
 *  (made) -> valid --roll--> valid, with an end --(time)--> expired
 *              |                  |
 *              +----- revoke -----+--> revoked
 * ```
 * Every request reads the key's row, so a revocation holds from the next request on, on every process. Every change is in the audit log.
 */
import type { Overlap } from "@oriel/protocol/api";
import { createHash } from "node:crypto";
import { recordAudit } from "../audit/audit-log.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../errors.ts";
import { newId } from "../ids.ts";
import type { Db, Tx } from "../storage/database.ts";
import type { Row } from "../storage/tables.ts";
import { tenantOf, type Tenant } from "../tenant.ts";
import { hasKeyFormat, newSecretKey } from "./key-format.ts";
import { OperatorError } from "../operator-error.ts";
import type { Scope } from "./scopes.ts";
import { overlapsMs } from "../overlaps.ts";

/** A key in the one moment that it is known. */
export interface NewApiKey {
  id: string;
  secretKey: string;
}

/** Whose key came with a request, and what it may do. */
export interface KeyHolder {
  tenant: Tenant;
  scope: Scope;
}

/** @throws OperatorError for a live key of an account that is not approved for live mode */
export async function createApiKey(
  db: Db,
  tenant: Tenant,
  now: Date,
  { name = "Secret key", scope = "full", actor = "service" }: { name?: string; scope?: Scope; actor?: string } = {},
): Promise<NewApiKey> {
  return await db.transaction().execute(async (tx) => {
    const account = await tx
      .selectFrom("account")
      .select("live_approved_at")
      .where("id", "=", tenant.accountId)
      .executeTakeFirst();
    if (account === undefined)
      throw new OperatorError(`There is no account ${JSON.stringify(tenant.accountId)}. See \`oriel account list\`.`);
    if (tenant.livemode && account.live_approved_at === null) {
      throw new OperatorError(`The account ${tenant.accountId} is not approved for live mode, so it gets test keys only.`);
    }
    const created = await insertKey(tx, tenant, { name, scope }, now);
    const details = { name, scope, livemode: tenant.livemode };
    await recordAudit(tx, { actor, action: "api_key.created", accountId: tenant.accountId, objectId: created.id, details }, now);
    return created;
  });
}

/**
 * Makes a key like the given one, which goes on working for the overlap and not a moment longer than it would have.
 *
 * @throws OperatorError when there is no such key, or it is not valid any more
 */
export async function rollApiKey(db: Db, id: string, overlap: Overlap, now: Date, actor: string): Promise<NewApiKey> {
  return await db.transaction().execute(async (tx) => {
    const old = await lockKey(tx, id);
    const state = stateOf(old, now);
    if (state !== "valid") throw new OperatorError(`The key ${id} is ${state}. Make a new one with \`oriel key create\`.`);
    const end = new Date(now.getTime() + overlapsMs[overlap]);
    const ends =
      overlap === "now"
        ? { revoked_at: now }
        : { expires_at: old.expires_at !== null && old.expires_at < end ? old.expires_at : end };
    await tx.updateTable("api_key").set(ends).where("id", "=", id).execute();
    const created = await insertKey(tx, tenantOf(old), old, now);
    const details = { replaced_by: created.id, overlap };
    await recordAudit(tx, { actor, action: "api_key.rolled", accountId: old.account_id, objectId: id, details }, now);
    return created;
  });
}

/** At once, on every process. A key that is revoked already stays so. @throws OperatorError when there is no such key */
export async function revokeApiKey(db: Db, id: string, now: Date, actor: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const key = await lockKey(tx, id);
    if (key.revoked_at !== null) return;
    await tx.updateTable("api_key").set({ revoked_at: now }).where("id", "=", id).execute();
    await recordAudit(tx, { actor, action: "api_key.revoked", accountId: key.account_id, objectId: id }, now);
  });
}

/** Of both modes, those that are not valid any more too; oldest first, a thousand at most. */
export async function listApiKeys(db: Db, accountId: string): Promise<Omit<Row<"api_key">, "hash">[]> {
  return await db
    .selectFrom("api_key")
    .select(["id", "account_id", "livemode", "name", "scope", "last4", "created_at", "last_used_at", "expires_at", "revoked_at"])
    .where("account_id", "=", accountId)
    .orderBy("id")
    .limit(1000)
    .execute();
}

export function stateOf(key: Pick<Row<"api_key">, "revoked_at" | "expires_at">, now: Date): "valid" | "revoked" | "expired" {
  if (key.revoked_at !== null) return "revoked";
  return key.expires_at !== null && key.expires_at <= now ? "expired" : "valid";
}

/** Why a key opens nothing. `keyId` and `accountId` are for the audit log: the caller must not learn that there was such a key. */
export type KeyRefusal =
  | { reason: "missing" | "malformed" | "unknown" }
  | { reason: "revoked" | "expired" | "suspended"; keyId: string; accountId: string };

/** Whose key this is; null stands for none that was sent. Without the right shape and checksum the database is not asked. */
export async function lookUpApiKey(
  { db, now }: Pick<Context, "db" | "now">,
  key: string | null,
): Promise<KeyHolder | KeyRefusal> {
  if (key === null) return { reason: "missing" };
  if (!hasKeyFormat(key)) return { reason: "malformed" };
  const row = await findKey(db, key);
  if (row === undefined) return { reason: "unknown" };
  const state = stateOf(row, now());
  const refusal = state === "valid" ? (row.account_status === "suspended" ? "suspended" : null) : state;
  if (refusal !== null) return { reason: refusal, keyId: row.id, accountId: row.account_id };
  await rememberUse(db, row, now());
  return { tenant: tenantOf(row), scope: row.scope };
}

/** What the caller is told: a wrong key, a revoked one, an expired one and one that never was look alike. */
export function refuseKey(reason: KeyRefusal["reason"]): ApiError {
  switch (reason) {
    case "missing":
      return new ApiError("api_key_missing", "Send your secret key in the header `Authorization: Bearer oriel_sk_test_...`.");
    case "suspended":
      return new ApiError("account_suspended", "This account is suspended. Write to the operator of this service.");
    case "malformed":
    case "unknown":
    case "revoked":
    case "expired":
      return new ApiError("api_key_invalid", "This secret key is not valid. Check that it is complete and was not revoked.");
  }
}

async function insertKey(tx: Tx, tenant: Tenant, { name, scope }: { name: string; scope: Scope }, now: Date): Promise<NewApiKey> {
  const secretKey = newSecretKey(tenant.livemode);
  const id = newId("key", now);
  await tx
    .insertInto("api_key")
    .values({
      id,
      account_id: tenant.accountId,
      livemode: tenant.livemode,
      name,
      scope,
      hash: hashOf(secretKey),
      last4: secretKey.slice(-4),
      created_at: now,
    })
    .execute();
  return { id, secretKey };
}

async function lockKey(tx: Tx, id: string): Promise<Row<"api_key">> {
  const key = await tx.selectFrom("api_key").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
  if (key === undefined) throw new OperatorError(`There is no key ${JSON.stringify(id)}. See \`oriel key list ACCOUNT\`.`);
  return key;
}

async function findKey(db: Db, key: string) {
  return await db
    .selectFrom("api_key")
    .innerJoin("account", "account.id", "api_key.account_id")
    .selectAll("api_key")
    .select("account.status as account_status")
    .where("hash", "=", hashOf(key))
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
