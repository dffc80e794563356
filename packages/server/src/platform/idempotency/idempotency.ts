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
 *   (running) --noteAttempt--> begun --storeOutcome--> finished
 * ```
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
import type { Row } from "../storage/tables.ts";
import { ownedBy } from "../storage/owned-by.ts";
import { tenantOf, type Tenant } from "../tenant.ts";
import { differingFields, digestFields } from "./field-digests.ts";
import type { Fingerprint } from "./request-fingerprint.ts";
import type { StoredResponse } from "./stored-response.ts";

/** The state of a key when a request arrives. */
export type KeyState =
  /** The key is unused, or its request gave it up. Claim it and run. */
  | { state: "free" }
  | { state: "finished"; answer: StoredResponse }
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

/**
 * Looks up a key, and waits if a request with it is running.
 *
 * @throws ApiError if that request doesn't finish in time
 */
export async function lookUpKey(
  context: Pick<PlatformContext, "db" | "keys" | "now">,
  tenant: Tenant,
  key: string,
  request: Fingerprint,
): Promise<KeyState> {
  const { db, keys, now } = context;
  const deadlineMs = performance.now() + waitMs;
  for (;;) {
    const row = await selectKey(db, tenant, key).executeTakeFirst();
    if (row === undefined) return { state: "free" };
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
      return { state: "finished", answer: { status: row.response_status, body } };
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

/**
 * Claims the key for this request.
 *
 * @returns null if another request has the key
 */
export async function claimKey(
  { db, keys, now }: Pick<PlatformContext, "db" | "keys" | "now">,
  tenant: Tenant,
  key: string,
  request: Fingerprint,
): Promise<KeyClaim | null> {
  const claimedAt = now();
  const fingerprint = request.hash;
  const lease = { claim: randomUUID(), lease_until: new Date(claimedAt.getTime() + leaseMs) };
  const claimed = await db
    .insertInto("idempotency_key")
    .values({
      account_no: tenant.accountNo,
      livemode: tenant.livemode,
      key,
      fingerprint,
      field_digests: JSON.stringify(digestFields(keys, request.body)),
      created_at: claimedAt,
      ...lease,
    })
    .onConflict((conflict) =>
      conflict
        .columns(["account_no", "livemode", "key"])
        .doUpdateSet(lease)
        // Take over only an abandoned key of the same request, and only if there is no attempt to recover.
        .where("idempotency_key.fingerprint", "=", fingerprint)
        .where("idempotency_key.response_status", "is", null)
        .where("idempotency_key.attempt_id", "is", null)
        .where((eb) =>
          eb.or([eb("idempotency_key.lease_until", "is", null), eb("idempotency_key.lease_until", "<=", claimedAt)]),
        ),
    )
    .returning("claim")
    .executeTakeFirst();
  return claimed === undefined ? null : { tenant, key, claim: lease.claim };
}

/**
 * Records that the response now depends on the attempt, in the transaction that creates the attempt.
 *
 * @throws ApiError if another request has taken over the key. Roll back the transaction.
 */
export async function noteAttempt(tx: Tx, claim: KeyClaim, attemptId: string): Promise<void> {
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
  answer: StoredResponse,
): Promise<void> {
  const { numUpdatedRows } = await updateClaimed(tx, claim)
    .set(finished(context, claim.tenant, claim.key, answer))
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) throw takenOver();
}

/**
 * Stores the outcome of an attempt as the response to the request that created it, if that had a key. Runs in the
 * transaction that settles the attempt.
 */
export async function storeOutcome(
  context: Pick<PlatformContext, "keys" | "now">,
  tx: Tx,
  attempt: Row<"attempt">,
  answer: StoredResponse,
): Promise<void> {
  const { idempotency_key: key } = attempt;
  if (key === null) return;
  await tx
    .updateTable("idempotency_key")
    .set(finished(context, tenantOf(attempt), key, answer))
    .where(ownedBy(tenantOf(attempt)))
    .where("key", "=", key)
    .where("attempt_id", "=", attempt.id)
    .where("response_status", "is", null)
    .execute();
}

/** Stores a rejection: nothing was done, and nothing will be. */
export async function storeAnswer(
  context: Pick<PlatformContext, "db" | "keys" | "now">,
  claim: KeyClaim,
  answer: StoredResponse,
): Promise<void> {
  await updateClaimed(context.db, claim)
    .set(finished(context, claim.tenant, claim.key, answer))
    .execute();
}

/** Gives up the key after a 5xx. The next request with it runs the work again. */
export async function abandonKey({ db }: Pick<PlatformContext, "db">, claim: KeyClaim): Promise<void> {
  await updateClaimed(db, claim).set({ lease_until: null }).execute();
}

/**
 * Deletes responses that are older than a day. A key whose request hasn't finished is never deleted.
 *
 * @returns the number of deleted keys
 */
export async function forgetAnswers({ db, now }: Pick<PlatformContext, "db" | "now">, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("idempotency_key")
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple("account_no", "livemode", "key"),
        "in",
        selectFrom("idempotency_key")
          .select(["account_no", "livemode", "key"])
          .where(isExpired(now()))
          .limit(limit)
          .forUpdate()
          .skipLocked()
          .$asTuple("account_no", "livemode", "key"),
      ),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
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
  row: Row<"idempotency_key">,
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
  return db.selectFrom("idempotency_key").selectAll().where(ownedBy(tenant)).where("key", "=", key);
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
