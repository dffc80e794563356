/**
 * Rate limits shared by all processes: token buckets in the database, one row each. A bucket has at most `burst` tokens
 * and gains `perSecond` tokens a second. Each request takes one.
 *
 * To avoid a query for every request, a process takes a tenth of the burst at once. With its next query it returns the
 * tokens it hasn't used within a second, so none are lost. Until then other processes may be short of those tokens. A
 * bucket that was empty isn't queried again until it can have a token. A single statement takes, returns and refills
 * tokens. It uses the database's clock, so the processes' clocks don't matter.
 *
 * Throws when the database is unavailable, so that requests are refused rather than let through without a limit.
 */
import { sql } from "kysely";
import type { Db } from "../storage/database.ts";

export interface Rate {
  perSecond: number;
  /** Maximum number of requests at once after a pause. */
  burst: number;
}

export interface Verdict {
  allowed: boolean;
  /** Tokens left, as far as this process knows. */
  remaining: number;
  /** Seconds until the next token if there are none, otherwise until the bucket is full. At least 1. */
  resetSeconds: number;
}

export interface RateLimiter {
  /**
   * Takes one token.
   *
   * @throws any error from the database
   */
  take(bucket: string, rate: Rate): Promise<Verdict>;
  /** Whether this process already knows, without a query, that the bucket is empty. */
  isEmpty(bucket: string): boolean;
}

/** What this process knows about a bucket. */
interface Share {
  /** Tokens taken but not used yet. After `heldUntilMs` they can only be returned. */
  held: number;
  heldUntilMs: number;
  /** Tokens left in the bucket after the last query. */
  left: number;
  /** The bucket has no token before this time. */
  emptyUntilMs: number;
  /** The query in progress. All callers wait for it. */
  query: Promise<void> | null;
}

const holdMs = 1_000;
/** Limits the memory used by buckets of unknown IP addresses. */
const maxShares = 10_000;
/**
 * Maximum number of queries for one call. Another is needed only if other callers used up the tokens of the last one.
 */
const maxRounds = 50;

/** @param monotonicMs a clock that never moves backward */
export function createRateLimiter(db: Db, monotonicMs: () => number = () => performance.now()): RateLimiter {
  const shares = new Map<string, Share>();

  return {
    async take(bucket, rate) {
      const share = shareOf(bucket);
      for (let round = 0; round < maxRounds; round++) {
        const nowMs = monotonicMs();
        if (share.held >= 1 && nowMs < share.heldUntilMs) {
          share.held -= 1;
          const remaining = Math.floor(share.held + share.left);
          return { allowed: true, remaining, resetSeconds: seconds((rate.burst - remaining) / rate.perSecond) };
        }
        if (nowMs < share.emptyUntilMs) return refused(share, nowMs);
        share.query ??= refill(bucket, rate, share).finally(() => (share.query = null));
        await share.query;
      }
      return refused(share, monotonicMs());
    },
    isEmpty(bucket) {
      const share = shares.get(bucket);
      return share !== undefined && monotonicMs() < share.emptyUntilMs;
    },
  };

  function shareOf(bucket: string): Share {
    const share = shares.get(bucket) ?? { held: 0, heldUntilMs: 0, left: 0, emptyUntilMs: 0, query: null };
    shares.delete(bucket); // re-inserted at the end, so that the first entry is the least recently used
    const [oldest] = shares.keys();
    if (shares.size >= maxShares && oldest !== undefined) shares.delete(oldest);
    shares.set(bucket, share);
    return share;
  }

  async function refill(bucket: string, rate: Rate, share: Share): Promise<void> {
    const returned = share.held;
    share.held = 0;
    const { granted, left } = await takeShare(db, bucket, rate, {
      wanted: Math.max(1, Math.floor(rate.burst / 10)),
      returned,
    });
    const nowMs = monotonicMs();
    share.held = granted;
    share.left = left;
    if (granted > 0) share.heldUntilMs = nowMs + holdMs;
    else share.emptyUntilMs = nowMs + ((1 - left) / rate.perSecond) * 1000;
  }
}

function refused(share: Share, nowMs: number): Verdict {
  return { allowed: false, remaining: 0, resetSeconds: seconds((share.emptyUntilMs - nowMs) / 1000) };
}

function seconds(exact: number): number {
  return Math.max(1, Math.ceil(exact));
}

/** Takes as many of the wanted tokens as the bucket has. */
async function takeShare(
  db: Db,
  bucket: string,
  { perSecond, burst }: Rate,
  { wanted, returned }: { wanted: number; returned: number },
): Promise<{ granted: number; left: number }> {
  // If the clock moved backward, no tokens are added or removed.
  const elapsed = sql`greatest(0, extract(epoch from excluded.refilled_at - rate_bucket.refilled_at)::float8)`;
  const available = sql`least(${burst}::float8, rate_bucket.tokens + ${returned}::float8 + ${perSecond}::float8 * ${elapsed})`;
  const granted = sql`least(${wanted}::float8, floor(${available}))`;
  // Statements that waited for the row lock (at most 20 seconds) may run out of order. Keep the latest time, so that no
  // interval is counted twice. A time that is over a minute earlier means that the clock was set back. Use it, or the
  // bucket would stay empty until the old time comes around.
  const refilledAt = sql`case when excluded.refilled_at < rate_bucket.refilled_at - interval '1 minute' then excluded.refilled_at
    else greatest(rate_bucket.refilled_at, excluded.refilled_at) end`;
  const { rows } = await sql<{ granted: number; tokens: number }>`
    insert into rate_bucket (name, tokens, granted, refilled_at)
    values (${bucket}, ${burst - wanted}::float8, ${wanted}::integer, clock_timestamp())
    on conflict (name) do update
      set tokens = ${available} - ${granted}, granted = ${granted}::integer,
          refilled_at = ${refilledAt}
    returning granted, tokens`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("Bug: the database returned no row for a bucket");
  return { granted: row.granted, left: row.tokens };
}

/**
 * Deletes buckets that have been unused for so long that they are full, which is the same as having no row.
 *
 * @returns the number of deleted buckets
 */
export async function deleteFullBuckets(db: Db, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from rate_bucket where name in (
      select name from rate_bucket where refilled_at < clock_timestamp() - interval '1 hour' limit ${limit} for update skip locked
    )`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
