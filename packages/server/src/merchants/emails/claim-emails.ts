/**
 * The queue of emails: claims due emails, so that no other process claims the same ones. As with deliveries
 * (`webhooks/claim-deliveries.ts`), a claim moves `next_try_at` forward by a lease. If the process dies, another one
 * can claim the email after the lease. The result is recorded only if the lease is unchanged.
 *
 * Each queue gets a turn before another one gets a second, so an account with many emails doesn't delay the others.
 */
import { sql } from "kysely";
import type { Db } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";

/** Longer than an attempt can take. */
const leaseMs = 3 * 60_000;

export type ClaimedEmail = Pick<
  Row<"email">,
  "id" | "queue" | "sealed_message" | "tries" | "refusals" | "created_at" | "expires_at"
> & {
  lease: Date;
};

export interface Capacity {
  /** Maximum number of emails to claim. */
  total: number;
  /** Maximum number of a queue's emails in progress. */
  perQueue: number;
  /** Emails in progress by queue. */
  taken: ReadonlyMap<string, number>;
}

/** @returns at most `capacity.total` emails that are due by then, each reserved for the caller until its lease ends */
export async function claimEmails(db: Db, dueBy: Date, { total, perQueue, taken }: Capacity): Promise<ClaimedEmail[]> {
  const lease = new Date(dueBy.getTime() + leaseMs);
  const { rows } = await sql<Omit<ClaimedEmail, "lease">>`
    with recursive waiting as ( -- skips from one queue to the next in the index
      (select queue from email order by queue limit 1)
      union all
      select next.queue from waiting cross join lateral (
        select queue from email where queue > waiting.queue order by queue limit 1
      ) next
    ),
    busy as (
      select * from unnest(${[...taken.keys()]}::text[], ${[...taken.values()]}::integer[]) as busy (queue, count)
    ),
    candidate as (
      select picked.id, picked.next_try_at,
        coalesce(busy.count, 0) + row_number() over (partition by picked.queue order by picked.next_try_at) as turn
      from waiting left join busy on busy.queue = waiting.queue
      cross join lateral (
        select id, queue, next_try_at from email
        where queue = waiting.queue and next_try_at <= ${dueBy}
        order by next_try_at limit greatest(0, ${perQueue}::integer - coalesce(busy.count, 0))
      ) picked
    ),
    due as materialized (
      select id from email
      where id = any(array(select id from candidate order by turn, next_try_at limit ${total})) and next_try_at <= ${dueBy}
      for update skip locked
    )
    update email set next_try_at = ${lease} from due where email.id = due.id
    returning email.id, queue, sealed_message, tries, refusals, created_at, expires_at`.execute(db);
  return rows.map((row) => ({ ...row, lease }));
}
