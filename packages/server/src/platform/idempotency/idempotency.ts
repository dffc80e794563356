/**
 * Idempotency keys. For 24 hours, the same key with the same request gets the same response, byte for byte. The same
 * key with a different request is rejected. Of several simultaneous requests, one claims the key and the others wait
 * for its response.
 *
 * ```
 *            claim                      store
 *  (absent) ------> running, leased ----------> finished, replayed
 *                     |      ^
 *   5xx, process died |      | claim again, once the lease is over
 *                     v      |
 *                  abandoned
 *
 *   (running) --recordAttempt--> begun --storeOutcome--> finished
 * ```
 * Work that takes one statement claims its key in that statement, with the response or the attempt ({@link claimedKey}).
 * Work that takes one transaction stores its response in that transaction (`finishKey`), so that both are committed or
 * neither. Work that involves the acquirer records its attempt in the key, in the transaction that creates the attempt.
 * From then on the response depends on the attempt. Whichever process settles the attempt stores the response, and the
 * key is never run again, however old it is.
 *
 * Stored: every response to work that began (2xx, 402, and rejections after it began). Not stored: responses from
 * validation, authentication and rate limits, which release the key, and 5xx, after which the next request with the key
 * takes over. Stored responses are sealed because they contain secrets.
 */
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { containsCardNumber } from "../card-data/card-number.ts";
import type { PlatformContext } from "../context.ts";
import { ApiError } from "../errors.ts";
import type { Db, Tx } from "../storage/database.ts";
import { ownedBy } from "../storage/owned-by.ts";
import { deleteDue } from "../storage/per-owner.ts";
import { statement } from "../storage/statement.ts";
import type { Row } from "../storage/tables.ts";
import { ownerColumns, tenantOf, type Tenant } from "../tenant.ts";
import { differingFields, digestFields } from "./field-digests.ts";
import type { Fingerprint } from "./request-fingerprint.ts";
import type { StoredResponse } from "./stored-response.ts";

/** The state of a key when a request arrives. */
export type KeyState =
  /** The key is unused, or its request gave it up. Claim it and run. */
  | { state: "free" }
  | { state: "finished"; response: StoredResponse }
  /** The process died, or sent its response before the acquirer did. The response depends on the attempt. */
  | { state: "begun"; attemptId: string }
  /** Used by a different request. `differed`: the names of the fields that differ. */
  | { state: "taken"; differed: string[] };

/** Longer than a request takes to commit its work. After a crash, a retry waits until the lease ends. */
const leaseMs = 30_000;
const waitMs = 10_000;
const pollMs = 100;
/** How long a response is replayed, from when it was stored. */
const lifetimeMs = 24 * 60 * 60 * 1000;

/** @throws ApiError `idempotency_key_invalid` */
export function checkKeyFormat(key: string): void {
  const param = "Idempotency-Key";
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw new ApiError(
      "idempotency_key_invalid",
      "The Idempotency-Key must be 1 to 255 visible ASCII characters. Send the header only once.",
      {
        param,
      },
    );
  if (containsCardNumber(key))
    throw new ApiError(
      "idempotency_key_invalid",
      "The Idempotency-Key contains a card number. Idempotency keys aren't encrypted and appear in logs and events. Use a random key, such as a UUID.",
      { param },
    );
}

/** The columns that determine the state of a key. */
export const knownColumns = [
  "key",
  "fingerprint",
  "field_digests",
  "lease_until",
  "attempt_id",
  "response_status",
  "sealed_response",
  "answered_at",
] as const satisfies (keyof Row<"idempotency_key">)[];

export type KnownKey = Pick<Row<"idempotency_key">, (typeof knownColumns)[number]>;

/**
 * Finds a key, and waits if a request with it is running.
 *
 * @param known what the statement that authenticated the request has already read; null if the key was unused
 * @throws ApiError if that request doesn't finish in time
 */
export async function findKey(
  context: Pick<PlatformContext, "db" | "keys" | "now">,
  tenant: Tenant,
  key: string,
  request: Fingerprint,
  known?: KnownKey | null,
): Promise<KeyState> {
  const { db, keys, now } = context;
  const deadlineMs = performance.now() + waitMs;
  const read = async (): Promise<KnownKey | null> => (await selectKey(db, tenant, key).executeTakeFirst()) ?? null;
  for (let row = known === undefined ? await read() : known; ; row = await read()) {
    if (row === null) return { state: "free" };
    if (row.answered_at !== null && row.answered_at.getTime() + lifetimeMs <= now().getTime()) {
      await db
        .deleteFrom("idempotency_key")
        .where(ownedBy(tenant))
        .where("key", "=", key)
        .where(isExpired(now()))
        .execute();
      return { state: "free" };
    }
    if (!row.fingerprint.equals(request.hash)) {
      return { state: "taken", differed: await saveDifference(context, tenant, row, request) };
    }
    if (row.response_status !== null && row.sealed_response !== null) {
      const body = keys.unseal(row.sealed_response, boundTo(tenant, key));
      return { state: "finished", response: { status: row.response_status, body } };
    }
    if (row.lease_until === null || row.lease_until <= now()) {
      return row.attempt_id === null ? { state: "free" } : { state: "begun", attemptId: row.attempt_id };
    }
    if (performance.now() >= deadlineMs) {
      throw new ApiError(
        "idempotent_request_in_progress",
        "The first request with this Idempotency-Key is still in progress. Try again shortly.",
        { retryAfterSeconds: 1 },
      );
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/**
 * A request's claim to a key. All writes for the key check the claim (a fencing token), so that a request whose lease
 * has ended can't overwrite the request that took over.
 */
export interface KeyClaim {
  tenant: Tenant;
  key: string;
  claim: string;
}

/** A key that a request may claim. */
export interface NewKey {
  key: string;
  request: Fingerprint;
  /** See {@link KeyClaim}. */
  claim: string;
}

export function keyToClaim(key: string, request: Fingerprint): NewKey {
  return { key, request, claim: randomUUID() };
}

/** The insert of {@link claimedKey}. */
const insertClaim = /* sql */ `
  insert into idempotency_key (account_no, livemode, key, fingerprint, field_digests, claim, lease_until, attempt_id,
    response_status, sealed_response, answered_at, created_at)
  values (:account_no, :livemode, :key, :fingerprint, :field_digests, :claim, :lease_until, :key_attempt_id,
    :response_status, :sealed_response, :answered_at, :claimed_at)
  on conflict (account_no, livemode, key) do update set
    claim = excluded.claim, lease_until = excluded.lease_until, attempt_id = excluded.attempt_id,
    response_status = excluded.response_status, sealed_response = excluded.sealed_response,
    answered_at = excluded.answered_at
  where idempotency_key.fingerprint = excluded.fingerprint
    and idempotency_key.response_status is null and idempotency_key.attempt_id is null
    and (idempotency_key.lease_until is null or idempotency_key.lease_until <= excluded.created_at
      or idempotency_key.claim = excluded.claim)`;

/**
 * The steps of a function (`stored-function.ts`) that claim the key of {@link keyValues}, if there is one. If another request has
 * the key, the function ends.
 *
 * An abandoned key of the same request is taken over, but only if there is no attempt to recover. A claim can be made
 * again, for example with a response that wasn't known the first time.
 */
export const claimedKey = /* sql */ `
  if :key is not null then
    ${insertClaim};
    if not found then return; end if;
  end if;`;

/** The arguments of {@link claimedKey}, in addition to the owner. */
export const keyArguments = {
  key: "text",
  fingerprint: "bytea",
  field_digests: "jsonb",
  claim: "text",
  lease_until: "timestamptz",
  key_attempt_id: "text",
  response_status: "integer",
  sealed_response: "bytea",
  answered_at: "timestamptz",
  claimed_at: "timestamptz",
} as const;

/**
 * The values for {@link claimedKey}.
 *
 * @param given null if the request has no key
 * @param then what the key leads to. With a response, the key is finished. With an attempt, its outcome is the response.
 */
export function keyValues(
  { keys, now }: Pick<PlatformContext, "keys" | "now">,
  tenant: Tenant,
  given: NewKey | null,
  then: { response: StoredResponse } | { attemptId: string } | null,
) {
  const claimedAt = now();
  const response = given !== null && then !== null && "response" in then ? then.response : null;
  return {
    ...ownerColumns(tenant),
    key: given?.key ?? null,
    fingerprint: given?.request.hash ?? null,
    field_digests: given && JSON.stringify(digestFields(keys, given.request.body)),
    claim: given?.claim ?? "",
    lease_until: response === null ? new Date(claimedAt.getTime() + leaseMs) : null,
    key_attempt_id: then !== null && "attemptId" in then ? then.attemptId : null,
    response_status: response?.status ?? null,
    sealed_response: given && response && keys.seal(response.body, boundTo(tenant, given.key)),
    answered_at: response && claimedAt,
    claimed_at: claimedAt,
  };
}

export type KeyValues = ReturnType<typeof keyValues>;

/** The claim that a statement with these values made, or null without a key. */
export function claimOf(tenant: Tenant, { key, claim }: KeyValues): KeyClaim | null {
  return key === null ? null : { tenant, key, claim };
}

const claimAlone = statement<{ key: string }>(`${insertClaim} returning key`);

/**
 * Claims the key for this request.
 *
 * @returns null if another request has the key
 */
export async function claimKey(
  context: Pick<PlatformContext, "db" | "keys" | "now">,
  tenant: Tenant,
  key: NewKey,
): Promise<KeyClaim | null> {
  const values = keyValues(context, tenant, key, null);
  const [claimed] = await claimAlone(context.db, values);
  return claimed === undefined ? null : claimOf(tenant, values);
}

/**
 * Records that the response now depends on the attempt, in the transaction that creates the attempt.
 *
 * @throws ApiError if another request has taken over the key. Roll back the transaction.
 */
export async function recordAttempt(tx: Tx, claim: KeyClaim, attemptId: string): Promise<void> {
  const { numUpdatedRows } = await updateClaimed(tx, claim).set({ attempt_id: attemptId }).executeTakeFirst();
  if (numUpdatedRows !== 1n) throw takenOver();
}

/**
 * Stores the response in the transaction that does the work.
 *
 * @throws ApiError if another request has taken over the key. Roll back the transaction.
 */
export async function finishKey(
  context: Pick<PlatformContext, "keys" | "now">,
  tx: Tx,
  claim: KeyClaim,
  response: StoredResponse,
): Promise<void> {
  const { numUpdatedRows } = await updateClaimed(tx, claim)
    .set(finished(context, claim.tenant, claim.key, response))
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) throw takenOver();
}

/** Stores the response of {@link outcomeValues}. For a {@link statement}, or a step of a function. */
export const storedOutcome = /* sql */ `
  update idempotency_key set response_status = :response_status, sealed_response = :sealed_response,
    answered_at = :now, lease_until = null
  where account_no = :account_no and livemode = :livemode and key = :idempotency_key and attempt_id = :attempt_id
    and response_status is null`;

/** The arguments of {@link storedOutcome}, in addition to the owner. */
export const outcomeArguments = {
  attempt_id: "text",
  idempotency_key: "text",
  response_status: "integer",
  sealed_response: "bytea",
  now: "timestamptz",
} as const;

/** The values for {@link storedOutcome}, for the outcome of an attempt. */
export function outcomeValues(
  { keys, now }: Pick<PlatformContext, "keys" | "now">,
  attempt: Row<"attempt">,
  { status, body }: StoredResponse,
) {
  const { account_no, livemode, id, idempotency_key } = attempt;
  const sealed_response = idempotency_key && keys.seal(body, boundTo(tenantOf(attempt), idempotency_key));
  return {
    account_no,
    livemode,
    attempt_id: id,
    idempotency_key,
    response_status: status,
    sealed_response,
    now: now(),
  };
}

const store = statement(storedOutcome);

/**
 * Stores the outcome of an attempt as the response to the request that created it, if that had a key. Runs in the
 * transaction that settles the attempt.
 */
export async function storeOutcome(
  context: Pick<PlatformContext, "keys" | "now">,
  tx: Tx,
  attempt: Row<"attempt">,
  response: StoredResponse,
): Promise<void> {
  if (attempt.idempotency_key !== null) await store(tx, outcomeValues(context, attempt, response));
}

/** Stores a rejection: nothing was done, and nothing will be. */
export async function storeResponse(
  context: Pick<PlatformContext, "db" | "keys" | "now">,
  claim: KeyClaim,
  response: StoredResponse,
): Promise<void> {
  await updateClaimed(context.db, claim)
    .set(finished(context, claim.tenant, claim.key, response))
    .execute();
}

/** Gives up the key after a 5xx. The next request with it runs the work again. */
export async function abandonKey({ db }: Pick<PlatformContext, "db">, claim: KeyClaim): Promise<void> {
  await updateClaimed(db, claim).set({ lease_until: null }).execute();
}

/**
 * Deletes keys whose response is older than a day. A key whose request hasn't finished is never deleted.
 *
 * @returns the number of deleted keys
 */
export async function deleteOldKeys(
  context: Pick<PlatformContext, "db" | "nodes" | "now" | "log">,
  limit: number,
): Promise<number> {
  const { db, now } = context;
  return await deleteDue(context, {
    from: "idempotency_key",
    due: db
      .selectFrom("idempotency_key")
      .select(["account_no", "livemode", "key as id"])
      .where(isExpired(now()))
      .orderBy("answered_at"),
    column: "key",
    limit,
  });
}

/** Matches responses that are no longer replayed. */
function isExpired(now: Date) {
  const oldest = new Date(now.getTime() - lifetimeMs);
  return sql<boolean>`answered_at <= ${oldest}`;
}

function finished(
  { keys, now }: Pick<PlatformContext, "keys" | "now">,
  tenant: Tenant,
  key: string,
  { status, body }: StoredResponse,
) {
  const sealed_response = keys.seal(body, boundTo(tenant, key));
  return { response_status: status, sealed_response, answered_at: now(), lease_until: null };
}

/**
 * Saves the names of the fields that differ, for the request log and for support. The API error only says that the
 * requests differ.
 *
 * @returns the names of the fields
 */
async function saveDifference(
  { db, keys }: Pick<PlatformContext, "db" | "keys">,
  tenant: Tenant,
  row: KnownKey,
  request: Fingerprint,
): Promise<string[]> {
  const differed = differingFields(row.field_digests ?? {}, digestFields(keys, request.body));
  await db.updateTable("idempotency_key").set({ differed }).where(ownedBy(tenant)).where("key", "=", row.key).execute();
  return differed;
}

function takenOver(): ApiError {
  return new ApiError(
    "idempotent_request_in_progress",
    "Another request with this Idempotency-Key is now in progress. Try again shortly.",
    { retryAfterSeconds: 1 },
  );
}

function selectKey(db: Db, tenant: Tenant, key: string) {
  return db.selectFrom("idempotency_key").select(knownColumns).where(ownedBy(tenant)).where("key", "=", key);
}

function updateClaimed(db: Db, { tenant, key, claim }: KeyClaim) {
  return db
    .updateTable("idempotency_key")
    .where(ownedBy(tenant))
    .where("key", "=", key)
    .where("claim", "=", claim)
    .where("response_status", "is", null);
}

function boundTo(tenant: Tenant, key: string): string {
  return `idempotency_key.response ${tenant.accountNo} ${tenant.livemode} ${key}`;
}
