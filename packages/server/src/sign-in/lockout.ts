/**
 * Tries of a password or a code, counted before they are looked at, so that of many at once ten are: after ten nothing opens for half an hour (PCI DSS
 * 8.3.4), not even what is right. What is right forgets the others. A password at the front door is counted by the e-mail address, whether it has a login
 * or not, so that the two cannot be told apart. Two counts are apart from that, so that nobody outside can lock somebody out: a browser in which the login was
 * signed in before has its own (`known-device.ts`), and so has what somebody who is signed in is asked again.
 */
import { sql } from "kysely";
import type { Db } from "../storage/database.ts";

/** What is counted: the address at the front door, or something with a blank in it, which is no address. */
export type Tried = string;

const maxTries = 10;
const lockMs = 30 * 60_000;
/** Tries further apart than this are not counted together. */
const windowMs = 24 * 3_600_000;

export interface Try {
  /** Whether it may be looked at. */
  isAllowed: boolean;
  /** Whether the next one may not. */
  isLast: boolean;
}

export async function takeTry(db: Db, tried: Tried, now: Date): Promise<Try> {
  const lockedUntil = new Date(now.getTime() + lockMs);
  const forgottenBefore = new Date(now.getTime() - windowMs);
  const counted = sql<number>`case when sign_in_failure.failed_at < ${forgottenBefore}::timestamptz
    or sign_in_failure.locked_until <= ${now}::timestamptz then 1 else sign_in_failure.failures + 1 end`;
  const { failures } = await db
    .insertInto("sign_in_failure")
    .values({ email: keyOf(tried), failures: 1, failed_at: now, locked_until: null })
    .onConflict((conflict) =>
      conflict.column("email").doUpdateSet({
        failures: counted,
        failed_at: now,
        locked_until: sql`case when ${counted} > ${maxTries}::integer then sign_in_failure.locked_until
          when ${counted} = ${maxTries}::integer then ${lockedUntil}::timestamptz end`,
      }),
    )
    .returning("failures")
    .executeTakeFirstOrThrow();
  return { isAllowed: failures <= maxTries, isLast: failures === maxTries };
}

export async function forgetTries(db: Db, tried: Tried): Promise<void> {
  await db.deleteFrom("sign_in_failure").where("email", "=", keyOf(tried)).execute();
}

function keyOf(tried: Tried): string {
  return tried.toLowerCase();
}
