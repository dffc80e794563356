/**
 * An account's secret keys. A key is shown once and stored only as its SHA-256 hash. Its 125 random bits make a slow
 * hash unnecessary.
 *
 * ```
 *  (created) -> valid --roll--> valid until its end --(time)--> expired
 *                 |                  |
 *                 +----- revoke -----+--> revoked
 * ```
 * Each request reads the key's row, so a revocation applies from the next request in every process. Each change is
 * recorded in the audit log.
 */
import { createHash } from "node:crypto";
import { sql } from "kysely";
import { OperatorError } from "@oriel/commands/operator-error";
import type { Overlap } from "@oriel/protocol/api";
import type { PlatformContext } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors.ts";
import { knownColumns, type KnownKey } from "../../platform/idempotency/idempotency.ts";
import { newId, tenantOfId } from "../../platform/ids.ts";
import { overlapsMs } from "../../platform/overlaps.ts";
import type { Db, Tx } from "../../platform/storage/database.ts";
import { listPage, type PageRequest } from "../../platform/storage/list-page.ts";
import { hasKey, ownedBy, type RowKey } from "../../platform/storage/owned-by.ts";
import { statement } from "../../platform/storage/statement.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { ownerColumns, type Tenant } from "../../platform/tenant.ts";
import { recordAudit } from "../audit/audit-log.ts";
import { newSecretKey, tenantOfKey } from "./key-format.ts";
import type { AcquirerChoice } from "./live-mode.ts";
import type { Scope } from "./scopes.ts";

/** A new key. This is the only form that contains the secret. */
export interface NewApiKey {
  id: string;
  secretKey: string;
}

/** The account and permissions of the key that a request was sent with. */
export interface KeyHolder {
  tenant: Tenant;
  scope: Scope;
  keyId: string;
  /** The account's acquirer in this mode. */
  acquirer: AcquirerChoice;
  /** What is stored about the request's idempotency key; null if nothing is, or if the request has none. */
  knownKey: KnownKey | null;
}

/** Why a key wasn't created or changed. The message is for the command line; HTTP routes use the reason. */
export class ApiKeyRefusal extends OperatorError {
  readonly reason: "not_approved" | "missing" | "not_valid";

  constructor(reason: ApiKeyRefusal["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** @throws ApiKeyRefusal for a live key if the account isn't approved for live mode */
export async function createApiKey(
  db: Db,
  tenant: Tenant,
  now: Date,
  { name = "Secret key", scope = "full", actor = "service" }: { name?: string; scope?: Scope; actor?: string } = {},
): Promise<NewApiKey> {
  return await db.transaction().execute(async (tx) => {
    await requireApproval(tx, tenant);
    const created = await insertKey(tx, tenant, { name, scope }, now);
    const details = { name, scope, livemode: tenant.livemode };
    await recordAudit(
      tx,
      { actor, action: "api_key.created", accountNo: tenant.accountNo, objectId: created.id, details },
      now,
    );
    return created;
  });
}

/**
 * Creates a key with the name and scope of an existing one. The old key works until the overlap ends or the key
 * expires, whichever is earlier.
 *
 * @throws ApiKeyRefusal if the key doesn't exist or is no longer valid, or if the account can't create such a key
 */
export async function rollApiKey(
  db: Db,
  tenant: Tenant,
  id: string,
  overlap: Overlap,
  now: Date,
  actor: string,
): Promise<NewApiKey> {
  return await db.transaction().execute(async (tx) => {
    const old = await lockKey(tx, tenant, id);
    const state = stateOf(old, now);
    if (state !== "valid")
      throw new ApiKeyRefusal(
        "not_valid",
        `The key ${id} is ${state}. Create a new key with \`oriel-server key create\`.`,
      );
    await requireApproval(tx, tenant);
    const end = new Date(now.getTime() + overlapsMs[overlap]);
    // `least` ignores nulls, so a key without an expiry gets this one.
    const ends = overlap === "now" ? { revoked_at: now } : { expires_at: sql<Date>`least(expires_at, ${end})` };
    await tx.updateTable("api_key").set(ends).where(hasKey(old)).execute();
    const created = await insertKey(tx, tenant, old, now);
    const details = { replaced_by: created.id, overlap };
    await recordAudit(tx, { actor, action: "api_key.rolled", accountNo: tenant.accountNo, objectId: id, details }, now);
    return created;
  });
}

/**
 * Revokes a key, starting with the next request in every process. Does nothing if it is already revoked.
 * @throws ApiKeyRefusal if the key doesn't exist
 */
export async function revokeApiKey(db: Db, tenant: Tenant, id: string, now: Date, actor: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const key = await lockKey(tx, tenant, id);
    if (key.revoked_at !== null) return;
    await tx.updateTable("api_key").set({ revoked_at: now }).where(hasKey(key)).execute();
    await recordAudit(tx, { actor, action: "api_key.revoked", accountNo: tenant.accountNo, objectId: id }, now);
  });
}

/** A key's account and mode, for an operator who knows only its ID. @throws ApiKeyRefusal if it names none */
export function ownerOfApiKey(id: string): Tenant {
  const owner = tenantOfId(id);
  if (owner === undefined) throw keyMissing(id);
  return owner;
}

/** What the service stores about a key once it has been created. */
export type KnownApiKey = Omit<Row<"api_key">, "hash" | "first_used_at">;

const known = [
  "id",
  "account_no",
  "livemode",
  "name",
  "scope",
  "last4",
  "created_at",
  "last_used_at",
  "expires_at",
  "revoked_at",
] as const satisfies (keyof KnownApiKey)[];

/** Lists up to a thousand keys of both modes, oldest first, including expired and revoked ones. */
export async function listApiKeys(db: Db, accountNo: number): Promise<KnownApiKey[]> {
  return await db
    .selectFrom("api_key")
    .select(known)
    .where("account_no", "=", accountNo)
    .orderBy("id")
    .limit(1000)
    .execute();
}

/** Lists the keys of one mode, newest first. */
export async function listKeysOf<T>(db: Db, tenant: Tenant, page: PageRequest, toObject: (key: KnownApiKey) => T) {
  return await listPage(page, "api_key", db.selectFrom("api_key").select(known).where(ownedBy(tenant)), toObject);
}

/** @throws ApiKeyRefusal if the key doesn't exist */
export async function findApiKey(db: Db, tenant: Tenant, id: string): Promise<KnownApiKey> {
  const key = await db
    .selectFrom("api_key")
    .select(known)
    .where("id", "=", id)
    .where(ownedBy(tenant))
    .executeTakeFirst();
  if (key === undefined) throw keyMissing(id);
  return key;
}

export function stateOf(
  key: Pick<Row<"api_key">, "revoked_at" | "expires_at">,
  now: Date,
): "valid" | "revoked" | "expired" {
  if (key.revoked_at !== null) return "revoked";
  return key.expires_at !== null && key.expires_at <= now ? "expired" : "valid";
}

/**
 * Why a key is refused. `keyId` and `accountNo` are only for the audit log, because callers must not learn that the key
 * exists.
 */
export type KeyRefusal =
  | { reason: "missing" | "malformed" | "unknown" }
  | { reason: "revoked" | "expired" | "suspended"; keyId: string; accountNo: number };

/**
 * Finds the account of a key. Queries the database only if the key's format and checksum are right.
 *
 * @param key null if the request has none
 * @param idempotencyKey the request's idempotency key, which the same statement looks up
 */
export async function findApiKeyBySecret(
  { db, nodes, now, inBackground }: Pick<PlatformContext, "db" | "nodes" | "now" | "inBackground">,
  key: string | null,
  idempotencyKey: string | null = null,
): Promise<KeyHolder | KeyRefusal> {
  if (key === null) return { reason: "missing" };
  const tenant = tenantOfKey(key);
  if (tenant === undefined) return { reason: "malformed" };
  nodes.requireNodeOf(tenant.accountNo);
  const row = await findKey(db, tenant, key, idempotencyKey);
  if (row === undefined) return { reason: "unknown" };
  const state = stateOf(row, now());
  const refusal = state === "valid" ? (row.account_status === "suspended" ? "suspended" : null) : state;
  if (refusal !== null) return { reason: refusal, keyId: row.id, accountNo: row.account_no };
  if (isOfEarlierMinute(row.last_used_at, now())) inBackground("record a key's use", recordUse(db, row, now()));
  const { scope, id: keyId, acquirer_account_id: acquirerAccountId, acquirer_merchant_id: acquirerMerchantId } = row;
  const acquirer = { acquirerAccountId, acquirerMerchantId };
  return { tenant, scope, keyId, acquirer, knownKey: row.key === null ? null : row };
}

/** Returns the error for the caller, which is the same for malformed, unknown, revoked and expired keys. */
export function refuseKey(reason: KeyRefusal["reason"]): ApiError {
  switch (reason) {
    case "missing":
      return new ApiError(
        "api_key_missing",
        "The secret key is missing. Send it in the header `Authorization: Bearer oriel_sk_test_...`. Basic authentication isn't supported.",
      );
    case "suspended":
      return new ApiError("account_suspended", "This account is suspended. Contact the operator of this service.");
    case "malformed":
    case "unknown":
    case "revoked":
    case "expired":
      return new ApiError(
        "api_key_invalid",
        "This secret key isn't valid. Check that it is complete and hasn't expired or been revoked.",
      );
  }
}

async function insertKey(
  tx: Tx,
  tenant: Tenant,
  { name, scope }: { name: string; scope: Scope },
  now: Date,
): Promise<NewApiKey> {
  const secretKey = newSecretKey(tenant);
  const id = newId("key", now, tenant);
  await tx
    .insertInto("api_key")
    .values({
      id,
      ...ownerColumns(tenant),
      name,
      scope,
      hash: hashOf(secretKey),
      last4: secretKey.slice(-4),
      created_at: now,
    })
    .execute();
  return { id, secretKey };
}

async function lockKey(tx: Tx, tenant: Tenant, id: string): Promise<Row<"api_key">> {
  const own = tx.selectFrom("api_key").selectAll().where("id", "=", id).where(ownedBy(tenant));
  const key = await own.forUpdate().executeTakeFirst();
  if (key === undefined) throw keyMissing(id);
  return key;
}

function keyMissing(id: string): ApiKeyRefusal {
  return new ApiKeyRefusal(
    "missing",
    `There is no key with the ID ${JSON.stringify(id)}. To list an account's keys, run \`oriel-server key list ACCOUNT\`.`,
  );
}

/** Only approved accounts can create live keys, including by rolling one. */
async function requireApproval(tx: Tx, { accountNo, livemode }: Tenant): Promise<void> {
  const account = await tx
    .selectFrom("account")
    .select(["id", "live_approved_at"])
    .where("account_no", "=", accountNo)
    .executeTakeFirstOrThrow();
  if (livemode && account.live_approved_at === null)
    throw new ApiKeyRefusal(
      "not_approved",
      `The account ${account.id} isn't approved for live mode, so it can have only test keys.`,
    );
}

type FoundKey = Pick<
  Row<"api_key">,
  "account_no" | "livemode" | "id" | "scope" | "last_used_at" | "expires_at" | "revoked_at"
> &
  Pick<Row<"account">, "acquirer_merchant_id"> & {
    account_status: Row<"account">["status"];
    acquirer_account_id: string | null;
  } & (KnownKey | { [Column in keyof KnownKey]: null });

const find = statement<FoundKey>(/* sql */ `
  select api_key.account_no, api_key.livemode, api_key.id, api_key.scope, api_key.last_used_at, api_key.expires_at,
    api_key.revoked_at, account.status as account_status, account.acquirer_merchant_id,
    acquirer_account.id as acquirer_account_id,
    ${knownColumns.map((column) => `idempotency_key.${column}`).join(", ")}
  from api_key
  join account on account.account_no = api_key.account_no
  left join acquirer_account on acquirer_account.account_no = :account_no and acquirer_account.livemode = :livemode
    and acquirer_account.replaced_at is null
  left join idempotency_key on idempotency_key.account_no = :account_no and idempotency_key.livemode = :livemode
    and idempotency_key.key = coalesce(:idempotency_key::text, '')
  where api_key.account_no = :account_no and api_key.livemode = :livemode and api_key.hash = :hash`);

async function findKey(
  db: Db,
  { accountNo, livemode }: Tenant,
  key: string,
  idempotencyKey: string | null,
): Promise<FoundKey | undefined> {
  const values = { account_no: accountNo, livemode, hash: hashOf(key), idempotency_key: idempotencyKey };
  return (await find(db, values))[0];
}

/**
 * Records that the key was used, once a minute. The condition repeats the check, because all requests in flight see the
 * old minute, and each of them would otherwise wait for the row and write it again.
 */
async function recordUse(db: Db, row: RowKey, now: Date): Promise<void> {
  await db
    .updateTable("api_key")
    .set({ last_used_at: now, first_used_at: sql<Date>`coalesce(first_used_at, ${now})` })
    .where(hasKey(row))
    .where(({ eb, or }) => or([eb("last_used_at", "is", null), eb("last_used_at", "<", startOfMinute(now))]))
    .execute();
}

function isOfEarlierMinute(time: Date | null, now: Date): boolean {
  return time === null || time < startOfMinute(now);
}

function startOfMinute(time: Date): Date {
  return new Date(Math.floor(time.getTime() / 60_000) * 60_000);
}

function hashOf(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}
