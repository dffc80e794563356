import { sql } from "kysely";
import type { Db } from "../../packages/server/src/platform/storage/database.ts";

/** What is in progress at a moment. */
export interface Open {
  attempts: number;
  notifications: number;
  /** A sentence for everything that nothing would have continued. */
  unplanned: string[];
}

/** Longer than any pause of the service. */
const plannedWithin = "25 hours";

/** Everything open must be due at some time, or a person must know about it. */
export async function findOpen(db: Db): Promise<Open> {
  const attempts = await sql<{ id: string; kind: string; is_planned: boolean }>`
    select id, kind, (next_call_at < now() + ${plannedWithin}::interval or exists (
      select from attention where attention.attempt_id = attempt.id and resolved_at is null
    )) as is_planned from attempt where status = 'processing'`.execute(db);
  const notifications = await sql<{ id: string; is_planned: boolean }>`
    select id, next_try_at < now() + ${plannedWithin}::interval as is_planned
    from acquirer_notification where status = 'received'`.execute(db);
  const charges = await sql<{ id: string }>`
    select id from charge where (status = 'processing' or busy_attempt_id is not null or amount_refunding <> 0)
      and not exists (
        select from attempt where attempt.charge_id = charge.id and attempt.status = 'processing'
      )`.execute(db);
  const unplanned = [
    ...attempts.rows.filter(({ is_planned }) => !is_planned).map(({ id, kind }) => `the ${kind} ${id} has no plan`),
    ...notifications.rows.filter(({ is_planned }) => !is_planned).map(({ id }) => `the notification ${id} has no plan`),
    ...charges.rows.map(({ id }) => `the charge ${id} is open, but none of its attempts is`),
  ];
  return { attempts: attempts.rows.length, notifications: notifications.rows.length, unplanned };
}
