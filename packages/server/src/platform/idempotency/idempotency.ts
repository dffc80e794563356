/**
 * Idempotency keys: the same key with the same request gets the same answer, byte for byte, for 24 hours; with another
 * request it is refused. One of any number of simultaneous requests wins the key, the others wait for its answer.
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
 * What is done in one transaction is stored with its answer in that transaction (`finishKey`): either both are there or
 * neither. What the bank takes part in notes its attempt in the transaction that writes it; from then on the attempt
 * has the answer, which is stored when the attempt is settled, by whichever process that is. Such a key is never run
 * again, at any age.
 *
 * Stored: every answer to work that began (2xx, 402, and refusals after execution began). Not stored: answers of
 * validation, authentication and rate limits, which release the key, and 5xx, which leave it to be taken up again.
 * Stored answers are sealed: they hold secrets.
 */
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { holdsCardNumber } from "../card-data/card-number.ts";
import type { PlatformContext } from "../context.ts";
import { ApiError } from "../errors.ts";
import type { Db, Tx } from "../storage/database.ts";
import type { Row } from "../storage/tables.ts";
import { ownedBy, tenantOf, type Tenant } from "../tenant.ts";
import { differingFields, digestFields } from "./field-digests.ts";
import type { Fingerprint } from "./request-fingerprint.ts";
import type { StoredAnswer } from "./stored-answer.ts";

/** What a key that arrives means. */
export type KeyState =
  /** Nobody has used it, or whoever did has let go: claim it and run. */
  | { state: "free" }
  | { state: "finished"; answer: StoredAnswer }
  /** Its process died, or answered before the bank did: the attempt has the answer. */
  | { state: "begun"; attemptId: string }
  /** By another request. `differed`: the names of the fields that are not the same. */
  | { state: "taken"; differed: string[] };

/**
 * Longer than a request takes until its work is committed. Whoever asks again after a crash waits for as long as is
 * left of it.
 */
const leaseMs = 30_000;
const waitMs = 10_000;
const pollMs = 100;
/** How long an answer is replayed, from when it was there. */
const lifetimeMs = 24 * 60 * 60 * 1000;

/** @throws ApiError `idempotency_key_invalid` */
export function checkKeyFormat(key: string): void {
  const param = "Idempotency-Key";
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw new ApiError(
      "idempotency_key_invalid",
      "An Idempotency-Key is 1 to 255 visible ASCII characters, sent once.",
      {
        param,
      },
    );
  if (holdsCardNumber(key))
    throw new ApiError(
      "idempotency_key_invalid",
      "The Idempotency-Key contains a card number. Keys are kept in clear and appear in logs and events: use a random one, such as a UUID.",
      { param },
    );
}

/**
 * Looks a key up, waiting for a request that runs under it.
 *
 * @throws ApiError 503 when the one that runs does not finish in time
 */
export async function lookUpKey(
  context: Pick<PlatformContext, "db" | "keys" | "now">,
  tenant: Tenant,
  key: string,
  request: Fingerprint,
): Promise<KeyState> {
  const { db, keys, now } = context;
  const giveUpAtMs = performance.now() + waitMs;
  for (;;) {
    const row = await ofKey(db, tenant, key).executeTakeFirst();
    if (row === undefined) return { state: "free" };
    if (row.answered_at !== null && row.answered_at.getTime() + lifetimeMs <= now().getTime()) {
      await db
        .deleteFrom("idempotency_key")
        .where(ownedBy(tenant))
        .where("key", "=", key)
        .where(isOutlived(now()))
        .execute();
      return { state: "free" };
    }
    if (!row.fingerprint.equals(request.hash)) {
      return { state: "taken", differed: await noteDifference(context, tenant, row, request) };
    }
    if (row.response_status !== null && row.sealed_response !== null) {
      const body = keys.unseal(row.sealed_response, boundTo(tenant, key));
      return { state: "finished", answer: { status: row.response_status, body } };
    }
    if (row.lease_until === null || row.lease_until <= now()) {
      return row.attempt_id === null ? { state: "free" } : { state: "begun", attemptId: row.attempt_id };
    }
    if (performance.now() >= giveUpAtMs) {
      throw new ApiError(
        "idempotent_request_in_progress",
        "The first request with this Idempotency-Key is still running. Send this one again shortly.",
        { retryAfterSeconds: 1 },
      );
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/**
 * A request's right to a key. Whatever is written under the key names the claim, so that a request that was given up
 * for dead and wakes up cannot write over the one that took its place (a fencing token).
 */
export interface KeyClaim {
  tenant: Tenant;
  key: string;
  claim: string;
}

/** Only the one request that may run under the key gets a claim. */
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
      account_id: tenant.accountId,
      livemode: tenant.livemode,
      key,
      fingerprint,
      field_digests: JSON.stringify(digestFields(keys, request.body)),
      created_at: claimedAt,
      ...lease,
    })
    .onConflict((conflict) =>
      conflict
        .columns(["account_id", "livemode", "key"])
        .doUpdateSet(lease)
        // Only an abandoned one of the very same request, and only while it has nothing to recover.
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
 * Notes, in the transaction that writes the attempt, that from here on the attempt has the answer.
 *
 * @throws ApiError when another request has taken the key over meanwhile; nothing is then written
 */
export async function noteAttempt(tx: Tx, claim: KeyClaim, attemptId: string): Promise<void> {
  const { numUpdatedRows } = await updateClaimed(tx, claim).set({ attempt_id: attemptId }).executeTakeFirst();
  if (numUpdatedRows !== 1n) throw takenOver();
}

/**
 * Stores the answer in the transaction that does the work.
 *
 * @throws ApiError when another request has taken the key over meanwhile; the work is then not done
 */
export async function finishKey(
  context: Pick<PlatformContext, "keys" | "now">,
  tx: Tx,
  claim: KeyClaim,
  answer: StoredAnswer,
): Promise<void> {
  const { numUpdatedRows } = await updateClaimed(tx, claim)
    .set(finished(context, claim.tenant, claim.key, answer))
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) throw takenOver();
}

/** Stores what came of an attempt for the request that it was written for, if that had a key. Part of transaction B. */
export async function storeOutcome(
  context: Pick<PlatformContext, "keys" | "now">,
  tx: Tx,
  attempt: Row<"attempt">,
  answer: StoredAnswer,
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

/** Stores a refusal: nothing was done, and nothing will be. */
export async function storeAnswer(
  context: Pick<PlatformContext, "db" | "keys" | "now">,
  claim: KeyClaim,
  answer: StoredAnswer,
): Promise<void> {
  await updateClaimed(context.db, claim)
    .set(finished(context, claim.tenant, claim.key, answer))
    .execute();
}

/** After a 5xx: whoever sends the key next takes the work up. */
export async function abandonKey({ db }: Pick<PlatformContext, "db">, claim: KeyClaim): Promise<void> {
  await updateClaimed(db, claim).set({ lease_until: null }).execute();
}

/**
 * Forgets answers that are older than a day. A key whose request has not finished is never forgotten.
 * @returns how many
 */
export async function forgetAnswers({ db, now }: Pick<PlatformContext, "db" | "now">, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("idempotency_key")
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple("account_id", "livemode", "key"),
        "in",
        selectFrom("idempotency_key")
          .select(["account_id", "livemode", "key"])
          .where(isOutlived(now()))
          .limit(limit)
          .$asTuple("account_id", "livemode", "key"),
      ),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** An answer that is not replayed any more. */
function isOutlived(now: Date) {
  const oldest = new Date(now.getTime() - lifetimeMs);
  return sql<boolean>`answered_at <= ${oldest}`;
}

function finished(
  { keys, now }: Pick<PlatformContext, "keys" | "now">,
  tenant: Tenant,
  key: string,
  { status, body }: StoredAnswer,
) {
  const sealed_response = keys.seal(body, boundTo(tenant, key));
  return { response_status: status, sealed_response, answered_at: now(), lease_until: null };
}

/**
 * For whoever looks into it later; the caller is told no more than that it is another request.
 *
 * @returns the names of the fields that differed
 */
async function noteDifference(
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
    "Another request with this Idempotency-Key has taken over. Send this one again shortly.",
    { retryAfterSeconds: 1 },
  );
}

function ofKey(db: Db, tenant: Tenant, key: string) {
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
  return `idempotency_key.response ${tenant.accountId} ${tenant.livemode} ${key}`;
}
