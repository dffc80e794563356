/**
 * Who is calling: a secret key, looked up at every request, and a limit on wrong ones so that nobody hammers the key
 * table.
 *
 * Failures are counted by address, for all processes together. An address with too many hears `rate_limited` before the
 * database is asked, except for keys that this process has seen to be good within the hour: who shares an address with
 * a flood (the same cloud, the same office) goes on working. Trusts: the address, which is the nearest one that is not
 * a proxy of ours. Counting and noting go on behind the answer, so that a wrong key and a malformed one take the same
 * time.
 */
import { createHash } from "node:crypto";
import { recordAudit } from "../audit/audit-log.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors.ts";
import type { Rate, RateLimiter } from "../../platform/limits/rate-limit.ts";
import { lookUpApiKey, refuseKey, type KeyHolder, type KeyRefusal } from "./api-keys.ts";
import { hasKeyFormat } from "./key-format.ts";

/** Wrong keys from one address. */
const failures: Rate = { perSecond: 20, burst: 100 };
/** Rows in the audit log: one a minute from one address, and a bound for all addresses together. */
const notes: Rate = { perSecond: 1 / 60, burst: 1 };
const allNotes: Rate = { perSecond: 1, burst: 100 };

/**
 * For how long a key that was good is looked up although its address is blocked. It is looked up all the same: good is
 * what the row says.
 */
const provenMs = 3_600_000;
const maxProven = 10_000;

type AuthenticatorContext = Pick<PlatformContext, "db" | "now" | "inBackground">;

/** @returns what finds the holder of a key (null: none was sent), or throws ApiError */
export function createAuthenticator(context: AuthenticatorContext, limiter: RateLimiter) {
  /** By digest: a list of secret keys is nothing to have lying about. */
  const provenUntil = new Map<string, number>();

  return async (key: string | null, address: string): Promise<KeyHolder> => {
    const bucket = `wrong keys from ${address}`;
    if (key !== null && hasKeyFormat(key) && limiter.isEmpty(bucket) && !isProven(key)) {
      throw new ApiError(
        "rate_limited",
        "Too many wrong secret keys came from this address. Wait, and check the key.",
        {
          retryAfterSeconds: 1,
        },
      );
    }
    const found = await lookUpApiKey(context, key);
    if (!("reason" in found)) {
      if (key !== null) prove(key);
      return found;
    }
    if (key !== null) {
      provenUntil.delete(digest(key));
      if (found.reason !== "malformed") context.inBackground("count a wrong key", limiter.take(bucket, failures));
      context.inBackground("note a wrong key", noteFailure(context, limiter, address, found));
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

async function noteFailure(
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
      accountId: "accountId" in refusal ? refusal.accountId : null,
      objectId: "keyId" in refusal ? refusal.keyId : null,
      details: { reason: refusal.reason },
    },
    context.now(),
  );
}
