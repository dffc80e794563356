/**
 * Idempotency keys: the same key with the same request gets the same answer, byte for byte, for 24 hours; with another request it is
 * refused. One of any number of simultaneous requests wins the key, the others wait for its answer.
 *
 * ```
 *            claim                      store
 *  (absent) ------> running, leased ----------> finished, replayed
 *                     |      ^
 *   5xx, process died |      | claim again, once the lease is over; a key that has a charge is answered from the charge, never run again
 *                     v      |
 *                  abandoned
 * ```
 * Stored: every answer to work that began (2xx, 402, and refusals after execution began). Not stored: answers of validation, authentication
 * and rate limits, which release the key, and 5xx, which leave it to be taken up again. Stored answers are sealed: they hold secrets.
 */
import { createHash, randomUUID } from "node:crypto";
import type { Context } from "../context.ts";
import { ownedBy, type Tenant } from "../tenant.ts";
import { ApiError } from "../errors.ts";
import type { Tx } from "../storage/database.ts";

export interface StoredAnswer {
  status: number;
  body: string;
}

/** What a key that arrives means. */
export type KeyState =
  /** Nobody has used it, or whoever did has let go: claim it and run. */
  | { state: "free" }
  | { state: "finished"; answer: StoredAnswer }
  /** Its process died or answered 5xx after the charge was written: the charge has the answer. */
  | { state: "charged"; chargeId: string };

const leaseMs = 60_000;
const waitMs = 10_000;
const pollMs = 100;

/** @throws ApiError `idempotency_key_invalid` */
export function checkKeyFormat(key: string): void {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return;
  throw new ApiError("idempotency_key_invalid", "An Idempotency-Key is 1 to 255 visible ASCII characters, sent once.", {
    param: "Idempotency-Key",
  });
}

/** What makes two requests the same: method, path and body, whatever the order of the body's keys. */
export function fingerprintOf(method: string, path: string, body: unknown): Buffer {
  return createHash("sha256")
    .update(`${method}\n${path}\n${canonicalJson(body)}`)
    .digest();
}

/**
 * Looks a key up, waiting for a request that runs under it.
 *
 * @throws ApiError 422 when the key belongs to another request, 503 when the one that runs does not finish in time
 */
export async function lookUpKey(
  { db, keys, now }: Pick<Context, "db" | "keys" | "now">,
  tenant: Tenant,
  key: string,
  fingerprint: Buffer,
): Promise<KeyState> {
  const giveUpAt = Date.now() + waitMs;
  for (;;) {
    const row = await ofKey(db, tenant, key).executeTakeFirst();
    if (row === undefined) return { state: "free" };
    if (!row.fingerprint.equals(fingerprint)) {
      throw new ApiError(
        "idempotency_key_in_use",
        "This Idempotency-Key was used for another request. Use a new key for a new request.",
        { param: "Idempotency-Key" },
      );
    }
    if (row.response_status !== null && row.sealed_response !== null) {
      return {
        state: "finished",
        answer: { status: row.response_status, body: keys.unseal(row.sealed_response, boundTo(tenant, key)) },
      };
    }
    if (row.lease_until === null || row.lease_until <= now()) {
      return row.charge_id === null ? { state: "free" } : { state: "charged", chargeId: row.charge_id };
    }
    if (Date.now() >= giveUpAt) {
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
 * A request's right to a key. Whatever is written under the key names the claim, so that a request that was given up for dead and wakes up
 * cannot write over the one that took its place (a fencing token).
 */
export interface KeyClaim {
  tenant: Tenant;
  key: string;
  claim: string;
}

/** Only the one request that may run under the key gets a claim. */
export async function claimKey(
  { db, now }: Pick<Context, "db" | "now">,
  tenant: Tenant,
  key: string,
  fingerprint: Buffer,
): Promise<KeyClaim | null> {
  const claimedAt = now();
  const lease = { claim: randomUUID(), lease_until: new Date(claimedAt.getTime() + leaseMs) };
  const claimed = await db
    .insertInto("idempotency_key")
    .values({ account_id: tenant.accountId, livemode: tenant.livemode, key, fingerprint, created_at: claimedAt, ...lease })
    .onConflict((conflict) =>
      conflict
        .columns(["account_id", "livemode", "key"])
        .doUpdateSet(lease)
        // Only an abandoned one of the very same request, and only while it has nothing to recover.
        .where("idempotency_key.fingerprint", "=", fingerprint)
        .where("idempotency_key.response_status", "is", null)
        .where("idempotency_key.charge_id", "is", null)
        .where((eb) =>
          eb.or([eb("idempotency_key.lease_until", "is", null), eb("idempotency_key.lease_until", "<=", claimedAt)]),
        ),
    )
    .returning("claim")
    .executeTakeFirst();
  return claimed === undefined ? null : { tenant, key, claim: lease.claim };
}

/** The right to answer from the charge that the key's first request wrote. */
export async function claimCharged(
  { db }: Pick<Context, "db">,
  tenant: Tenant,
  key: string,
  chargeId: string,
): Promise<KeyClaim> {
  const claim = randomUUID();
  await db
    .updateTable("idempotency_key")
    .set({ claim })
    .where(ownedBy(tenant))
    .where("key", "=", key)
    .where("charge_id", "=", chargeId)
    .where("response_status", "is", null)
    .execute();
  return { tenant, key, claim };
}

/**
 * Notes, in the transaction that writes the charge, that from here on the charge has the answer.
 *
 * @throws Error when another request has taken the key over meanwhile; the charge is then not written
 */
export async function noteCharge(tx: Tx, claim: KeyClaim, chargeId: string): Promise<void> {
  const { numUpdatedRows } = await updateClaimed(tx, claim).set({ charge_id: chargeId }).executeTakeFirst();
  if (numUpdatedRows !== 1n) {
    throw new ApiError(
      "idempotent_request_in_progress",
      "Another request with this Idempotency-Key has taken over. Send this one again shortly.",
      {
        retryAfterSeconds: 1,
      },
    );
  }
}

export async function storeAnswer(
  { db, keys }: Pick<Context, "db" | "keys">,
  claim: KeyClaim,
  answer: StoredAnswer,
): Promise<void> {
  const sealed_response = keys.seal(answer.body, boundTo(claim.tenant, claim.key));
  await updateClaimed(db, claim).set({ response_status: answer.status, sealed_response, lease_until: null }).execute();
}

/** After a 5xx: whoever sends the key next takes the work up. */
export async function abandonKey({ db }: Pick<Context, "db">, claim: KeyClaim): Promise<void> {
  await updateClaimed(db, claim).set({ lease_until: null }).execute();
}

/** JSON with sorted keys. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(",")}}`;
  }
  return JSON.stringify(value) ?? "";
}

function ofKey(db: Context["db"], tenant: Tenant, key: string) {
  return db.selectFrom("idempotency_key").selectAll().where(ownedBy(tenant)).where("key", "=", key);
}

function updateClaimed(db: Context["db"] | Tx, { tenant, key, claim }: KeyClaim) {
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
