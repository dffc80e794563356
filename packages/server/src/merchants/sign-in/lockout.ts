/**
 * Limits guesses of passwords and codes. Each attempt is counted before it is checked, so concurrent attempts can't
 * exceed the limit. After ten wrong attempts, every attempt is refused for half an hour (PCI DSS 8.3.4), even with the
 * right password. A correct password or code before that clears the count. At sign-in, better-auth counts wrong codes
 * as well (`accountLockout` in `auth.ts`).
 *
 * At sign-in, attempts are counted per email address, even if it has no user, so the lock doesn't reveal which
 * addresses have users. Two kinds of attempts are counted separately, so that a stranger can't lock a user out: those
 * from each browser in which the user has signed in before (`known-device.ts`), and those of a signed-in user who
 * confirms their password or code.
 */
import { sql } from "kysely";
import type { Db } from "../../platform/storage/database.ts";

/**
 * The key that attempts are counted under: an email address at sign-in, or otherwise text with a space, which no email
 * address contains.
 */
export type AttemptKey = string;

export const maxAttempts = 10;
export const lockMs = 30 * 60_000;
/** A count starts over if the previous attempt was longer ago than this. */
const windowMs = 24 * 3_600_000;

export interface CountedAttempt {
  /** Whether the password or code may be checked. */
  isAllowed: boolean;
  /** Whether the next attempt will be refused. */
  isLast: boolean;
}

export async function countAttempt(db: Db, key: AttemptKey, now: Date): Promise<CountedAttempt> {
  const lockedUntil = new Date(now.getTime() + lockMs);
  const forgottenBefore = new Date(now.getTime() - windowMs);
  const counted = sql<number>`case when sign_in_failure.failed_at < ${forgottenBefore}::timestamptz
    or sign_in_failure.locked_until <= ${now}::timestamptz then 1 else sign_in_failure.failures + 1 end`;
  const { failures } = await db
    .insertInto("sign_in_failure")
    .values({ email: normalize(key), failures: 1, failed_at: now, locked_until: null })
    .onConflict((conflict) =>
      conflict.column("email").doUpdateSet({
        failures: counted,
        failed_at: now,
        locked_until: sql`case when ${counted} > ${maxAttempts}::integer then sign_in_failure.locked_until
          when ${counted} = ${maxAttempts}::integer then ${lockedUntil}::timestamptz end`,
      }),
    )
    .returning("failures")
    .executeTakeFirstOrThrow();
  return { isAllowed: failures <= maxAttempts, isLast: failures === maxAttempts };
}

export async function clearAttempts(db: Db, key: AttemptKey): Promise<void> {
  await db.deleteFrom("sign_in_failure").where("email", "=", normalize(key)).execute();
}

function normalize(key: AttemptKey): string {
  return key.toLowerCase();
}
