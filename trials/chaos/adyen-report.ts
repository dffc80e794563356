/** The part of a run's output that is about Adyen. */
import { sql } from "kysely";
import { countKinds } from "../records.ts";
import type { Db } from "../../packages/server/src/platform/storage/database.ts";
import type { AdyenSide } from "./adyen-side.ts";
import type { AcquirerCheck } from "./check-acquirer.ts";
import type { Verdict } from "./check.ts";

/** What was open when the last killed process ran again. */
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

export function printAdyen(
  { accepted, failed }: AdyenSide,
  { records, payments }: NonNullable<AcquirerCheck["adyen"]>,
  open: Open,
): void {
  const copies = [...accepted.values()].reduce((sum, count) => sum + count, 0);
  const processed = records.notifications.filter(({ status }) => status === "processed").length;
  const modifications = payments.reduce((sum, payment) => sum + payment.modifications.length, 0);
  const kinds = countKinds(records);
  const count = (kind: string) => kinds.get(kind) ?? 0;
  console.log(
    `adyen       ${payments.length} payments and ${modifications} modifications there; ${records.entries.length} ledger entries here`,
  );
  console.log(
    `notified    ${accepted.size} notifications accepted, ${copies - accepted.size} of them again; ${failed} requests failed and were sent again; ${records.notifications.length} stored, ${processed} processed`,
  );
  console.log(
    `reversed    by reference ${count("reverse by reference approved")} done and ${count("reverse by reference declined")} declined, late approvals ${count("reverse by cancel approved")} canceled and ${count("reverse by refund approved")} refunded; ${records.attention.length} items for a person`,
  );
  console.log(
    `open        ${open.attempts} attempts and ${open.notifications} notifications after the last kill; ${open.unplanned.length} without a plan`,
  );
}

export function adyenSummary({ asked, once, counts }: Verdict): string {
  const { twice, lost, stuck, event, ledger, notification } = counts;
  return `asked ${asked}, charged once ${once}, charged twice ${twice}, lost ${lost}, open without a plan ${stuck}, ledger differences ${ledger}, notifications wrong ${notification}, events wrong ${event}`;
}
