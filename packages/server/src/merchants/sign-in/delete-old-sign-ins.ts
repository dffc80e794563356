/**
 * Deletes old sign-in data: ended sessions, links and challenges, counted failures, used codes, and users who never
 * confirmed their email address.
 */
import { sql } from "kysely";
import type { PlatformContext } from "../../platform/context.ts";

/** Much longer than the confirmation link is valid, which is a day. After that, users sign up again. */
const unconfirmedMs = 7 * 24 * 3_600_000;
/** Longer than any of this data is needed. */
const staleMs = 24 * 3_600_000;

/** @returns the largest number of rows deleted from one table */
export async function deleteOldSignIns(
  { db, now }: Pick<PlatformContext, "db" | "now">,
  limit: number,
): Promise<number> {
  const stale = new Date(now().getTime() - staleMs);
  const counts = [
    await sql`delete from login_session where id in (select id from login_session where expires_at < ${stale} limit ${limit})`.execute(
      db,
    ),
    await sql`delete from login_verification where id in (select id from login_verification where expires_at < ${stale} limit ${limit})`.execute(
      db,
    ),
    await sql`delete from spent_code where ctid in (select ctid from spent_code where spent_at < ${stale} limit ${limit})`.execute(
      db,
    ),
    await sql`delete from sign_in_failure where email in (select email from sign_in_failure where failed_at < ${stale} limit ${limit})`.execute(
      db,
    ),
    await sql`delete from login where id in (
      select id from login where not email_verified and created_at < ${new Date(now().getTime() - unconfirmedMs)} limit ${limit}
    )`.execute(db),
  ];
  return Math.max(...counts.map(({ numAffectedRows }) => Number(numAffectedRows ?? 0n)));
}
