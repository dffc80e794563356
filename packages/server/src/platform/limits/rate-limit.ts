/**
 * Rate limits that hold for all processes together: token buckets, one row each, in the database. A bucket holds
 * `burst` tokens, gets `perSecond` new ones a second, and each request takes one.
 *
 * So that not every request costs a question to the database, a process takes a share of a tenth of the burst at once.
 * What it has not used within a second it gives back with its next question, so nothing leaks; until then it may be
 * missing elsewhere, and that is all by which two processes may differ from one. A bucket that was found empty is not
 * asked again before it can have a token. One statement takes, gives back and refills, by the database's clock, so that
 * the processes' own clocks do not matter.
 *
 * Refuses, by throwing, when the database cannot be asked: a limit that cannot be read is not a licence.
 */
import { sql } from "kysely";
import type { Db } from "../storage/database.ts";

export interface Rate {
  perSecond: number;
  /** How many at once, after a rest. */
  burst: number;
}

export interface Verdict {
  allowed: boolean;
  /** As far as this process knows. */
  remaining: number;
  /** Until there is one again, or, where there are some, until it is full again. At least 1. */
  resetSeconds: number;
}

export interface RateLimiter {
  /** Takes one token. @throws whatever the database throws */
  take(bucket: string, rate: Rate): Promise<Verdict>;
  /** Whether this process knows, without asking, that there is no token. */
  isEmpty(bucket: string): boolean;
}

/** What a process knows of one bucket. */
interface Share {
  /** Tokens taken and not used yet. Not to be used after `heldUntilMs`, only to be given back. */
  held: number;
  heldUntilMs: number;
  /** What was left in the bucket when it was last asked. */
  left: number;
  /** Before this there is no token to be had. */
  emptyUntilMs: number;
  /** The question that is under way; everyone waits for the same. */
  asking: Promise<void> | null;
}

const holdMs = 1_000;
/** A bound for the memory that strangers' addresses can take. */
const maxShares = 10_000;
/** Each round somebody got a share, and others used it up. */
const maxRounds = 50;

/** @param monotonicMs a clock that never goes back */
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
        share.asking ??= ask(bucket, rate, share).finally(() => (share.asking = null));
        await share.asking;
      }
      return refused(share, monotonicMs());
    },
    isEmpty(bucket) {
      const share = shares.get(bucket);
      return share !== undefined && monotonicMs() < share.emptyUntilMs;
    },
  };

  function shareOf(bucket: string): Share {
    const share = shares.get(bucket) ?? { held: 0, heldUntilMs: 0, left: 0, emptyUntilMs: 0, asking: null };
    shares.delete(bucket); // and in again at the end: the first is the one that was not used for longest
    const [oldest] = shares.keys();
    if (shares.size >= maxShares && oldest !== undefined) shares.delete(oldest);
    shares.set(bucket, share);
    return share;
  }

  async function ask(bucket: string, rate: Rate, share: Share): Promise<void> {
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

/** As many of the wanted tokens as there are. */
async function takeShare(
  db: Db,
  bucket: string,
  { perSecond, burst }: Rate,
  { wanted, returned }: { wanted: number; returned: number },
): Promise<{ granted: number; left: number }> {
  // Going back in time refills nothing and takes nothing away.
  const elapsed = sql`greatest(0, extract(epoch from excluded.refilled_at - rate_bucket.refilled_at)::float8)`;
  const available = sql`least(${burst}::float8, rate_bucket.tokens + ${returned}::float8 + ${perSecond}::float8 * ${elapsed})`;
  const granted = sql`least(${wanted}::float8, floor(${available}))`;
  // Statements that waited for the row, 20 seconds at most, may get it out of order: the latest time stays, so that no
  // moment counts twice. A clock that went back further was set back. Without following it, the bucket would stay empty
  // until the old time comes again.
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
  if (row === undefined) throw new Error("Bug: a bucket was asked and did not answer");
  return { granted: row.granted, left: row.tokens };
}

/** Forgets buckets that were not asked for so long that they are full, as if they had no row. @returns how many */
export async function forgetFullBuckets(db: Db, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from rate_bucket where name in (
      select name from rate_bucket where refilled_at < clock_timestamp() - interval '1 hour' limit ${limit}
    )`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
