/**
 * Wrong passwords, counted by e-mail address, and wrong codes of who is signed in: after ten, nothing opens for half an hour (PCI DSS 8.3.4), not even the right password. An address without a
 * login is counted the same, and hears the same. A new password by mail ends the wait: that is another proof of who it is.
 */
import { sql } from "kysely";
import type { Db } from "../storage/database.ts";

const maxFailures = 10;
const lockMs = 30 * 60_000;
/** Failures further apart than this are not counted together. */
const windowMs = 24 * 3_600_000;

export async function isLocked(db: Db, email: string, now: Date): Promise<boolean> {
  const row = await db.selectFrom("sign_in_failure").select("locked_until").where("email", "=", keyOf(email)).executeTakeFirst();
  return row !== undefined && row.locked_until !== null && row.locked_until > now;
}

/** @returns whether this one locked it */
export async function countFailure(db: Db, email: string, now: Date): Promise<boolean> {
  const lockedUntil = new Date(now.getTime() + lockMs);
  const forgottenBefore = new Date(now.getTime() - windowMs);
  const counted = sql<number>`case when sign_in_failure.failed_at < ${forgottenBefore}
    or sign_in_failure.locked_until <= ${now} then 1 else sign_in_failure.failures + 1 end`;
  const { failures } = await db
    .insertInto("sign_in_failure")
    .values({ email: keyOf(email), failures: 1, failed_at: now, locked_until: null })
    .onConflict((conflict) =>
      conflict.column("email").doUpdateSet({
        failures: counted,
        failed_at: now,
        locked_until: sql`case when ${counted} >= ${maxFailures}::integer then ${lockedUntil}::timestamptz end`,
      }),
    )
    .returning("failures")
    .executeTakeFirstOrThrow();
  return failures === maxFailures;
}

export async function forgetFailures(db: Db, email: string): Promise<void> {
  await db.deleteFrom("sign_in_failure").where("email", "=", keyOf(email)).execute();
}

function keyOf(email: string): string {
  return email.toLowerCase();
}
