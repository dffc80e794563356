/** What waits in the queue of emails, for `oriel-server doctor` and for the metrics. */
import { sql } from "kysely";
import type { Db } from "../platform/storage/database.ts";

/** A long backlog is never counted to its end. Refused emails are counted separately, so they hide no others. */
const countedEmails = 10_000;

export interface QueuedEmails {
  /** All emails that the mail server hasn't refused, including those that wait on purpose before the first attempt. */
  waiting: number;
  /** The email that has been due for longest, unless the mail server refused it. */
  oldest: { dueAt: Date; tries: number; failure: string | null } | null;
  /** Emails that the mail server refused in the last attempt, because of the recipient or the message. */
  refused: number;
}

interface Counts {
  waiting: number;
  refused: number;
  due_at: Date | null;
  tries: number | null;
  failure: string | null;
}

/**
 * Anyone can cause refusals, by signing up with the address of a full mailbox for example. So the oldest email isn't one
 * of those.
 */
export async function readQueuedEmails(db: Db, now: Date): Promise<QueuedEmails> {
  const { rows } = await sql<Counts>`
    with counted as materialized (
      select tries, failure, coalesce(due_at, case when tries > 0 then created_at else next_try_at end) as due_at
      from email where refusals = 0 order by id limit ${countedEmails}
    )
    select counts.waiting, counts.refused, oldest.due_at, oldest.tries, oldest.failure
    from (
      select
        (select count(*)::integer from counted) as waiting,
        (select count(*)::integer from (select 1 from email where refusals > 0 limit ${countedEmails}) capped) as refused
    ) counts
    left join (select * from counted where due_at <= ${now} order by due_at limit 1) oldest on true`.execute(db);
  const { waiting = 0, refused = 0, due_at = null, tries = null, failure = null } = rows[0] ?? {};
  return { waiting, refused, oldest: due_at === null ? null : { dueAt: due_at, tries: tries ?? 0, failure } };
}
