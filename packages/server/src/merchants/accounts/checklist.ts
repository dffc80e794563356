/** The integration checklist: when the merchant first completed each step. Each subquery reads one index row. */
import { sql } from "kysely";
import type { Checklist } from "@oriel/protocol/dashboard/setup";
import type { Db } from "../../platform/storage/database.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { unixSeconds } from "../../platform/unix-seconds.ts";

export async function readChecklist(db: Db, tenant: Tenant): Promise<Checklist> {
  // Deleted endpoints and revoked keys count too.
  const { rows } = await sql<Record<keyof Checklist, Date | null>>`
    select
      (select created_at from api_key where ${ownedBy(tenant)} order by id limit 1) as key_created,
      (select min(first_used_at) from api_key where ${ownedBy(tenant)}) as key_used,
      (select created_at from checkout_session where ${ownedBy(tenant)} order by id limit 1) as session_created,
      (select created_at from event where ${ownedBy(tenant)} and type = 'payment.succeeded' order by id limit 1) as payment_succeeded,
      (select created_at from webhook_endpoint where ${ownedBy(tenant)} order by id limit 1) as endpoint_created,
      (select min(first_success_at) from webhook_endpoint where ${ownedBy(tenant)}) as webhook_answered
  `.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("Bug: a select without a from has no row");
  const first = (time: Date | null) => (time === null ? null : unixSeconds(time));
  return {
    key_created: first(row.key_created),
    key_used: first(row.key_used),
    session_created: first(row.session_created),
    payment_succeeded: first(row.payment_succeeded),
    endpoint_created: first(row.endpoint_created),
    webhook_answered: first(row.webhook_answered),
  };
}
