/**
 * Authenticates API requests. It looks up the secret key on each request. To protect the key table, it limits requests
 * with wrong keys.
 *
 * Wrong keys are counted per IP address, across all processes. Above the limit, requests get `rate_limited` without a
 * database query. Keys that this process has verified within the last hour are exempt, so that merchants who share an
 * address with an attacker (the same cloud or office) aren't blocked. The address is trusted: it is the nearest one
 * that isn't one of our proxies. Failures are counted and audited in the background, so that a wrong key takes as long
 * as a malformed one.
 */
import { createHash } from "node:crypto";
import type { PlatformContext } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors.ts";
import type { Rate, RateLimiter } from "../../platform/limits/rate-limit.ts";
import { recordAudit } from "../audit/audit-log.ts";
import { findApiKeyBySecret, refuseKey, type KeyHolder, type KeyRefusal } from "./api-keys.ts";
import { tenantOfKey } from "./key-format.ts";

/** The limit on wrong keys per IP address. */
const failures: Rate = { perSecond: 20, burst: 100 };
/** Limits on rows in the audit log: one a minute per address, and one for all addresses together. */
const notes: Rate = { perSecond: 1 / 60, burst: 1 };
const allNotes: Rate = { perSecond: 1, burst: 100 };

/** How long a verified key is exempt when its address is blocked. It is still looked up on each request. */
const provenMs = 3_600_000;
const maxProven = 10_000;

type AuthenticatorContext = Pick<PlatformContext, "db" | "nodes" | "now" | "inBackground">;

/**
 * @returns a function that returns the holder of a key (null if none was sent) or throws an ApiError. The same statement
 * looks up the request's idempotency key.
 */
export function createAuthenticator(context: AuthenticatorContext, limiter: RateLimiter) {
  /** Keyed by digest, so that memory doesn't contain a list of secret keys. */
  const provenUntil = new Map<string, number>();

  return async (key: string | null, address: string, idempotencyKey: string | null): Promise<KeyHolder> => {
    const bucket = `wrong keys from ${address}`;
    if (key !== null && tenantOfKey(key) !== undefined && limiter.isEmpty(bucket) && !isProven(key)) {
      throw new ApiError(
        "rate_limited",
        "Too many requests with an invalid secret key came from this IP address. Check the key, then try again in one second.",
        {
          retryAfterSeconds: 1,
        },
      );
    }
    const found = await findApiKeyBySecret(context, key, idempotencyKey);
    if (!("reason" in found)) {
      if (key !== null) prove(key);
      return found;
    }
    if (key !== null) {
      provenUntil.delete(digest(key));
      if (found.reason !== "malformed") context.inBackground("count an invalid key", limiter.take(bucket, failures));
      context.inBackground("record an invalid key", recordFailure(context, limiter, address, found));
    }
    throw refuseKey(found.reason);
  };

  function isProven(key: string): boolean {
    return (provenUntil.get(digest(key)) ?? 0) > context.now().getTime();
  }

  function prove(key: string): void {
    const [oldest] = provenUntil.keys();
    if (provenUntil.size >= maxProven && oldest !== undefined) provenUntil.delete(oldest);
    provenUntil.set(digest(key), context.now().getTime() + provenMs);
  }
}

function digest(key: string): string {
  return createHash("sha256").update(key).digest("base64");
}

async function recordFailure(
  context: AuthenticatorContext,
  limiter: RateLimiter,
  address: string,
  refusal: KeyRefusal,
): Promise<void> {
  const { allowed } = await limiter.take(`audited wrong keys from ${address}`, notes);
  if (!allowed || !(await limiter.take("audited wrong keys", allNotes)).allowed) return;
  await recordAudit(
    context.db,
    {
      actor: `address ${address}`,
      action: "authentication.failed",
      outcome: "refused",
      accountNo: "accountNo" in refusal ? refusal.accountNo : null,
      objectId: "keyId" in refusal ? refusal.keyId : null,
      details: { reason: refusal.reason },
    },
    context.now(),
  );
}
