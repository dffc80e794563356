/**
 * Every kind of row that a worker finds when it's due and then takes for one account at a time, with any number of due
 * rows for a merchant.
 */
import { sql } from "kysely";
import type { Context } from "../../src/http/context.ts";
import { deleteOldRequests } from "../../src/merchants/request-log/request-log.ts";
import { takeDueAttempts } from "../../src/payments/attempts/attempt-state.ts";
import { expireDecisions } from "../../src/payments/decisions/decision-state.ts";
import { takeMissingResults } from "../../src/payments/flow/threeds/request-result.ts";
import { deleteOldTries } from "../../src/payments/risk/card-attempts.ts";
import { expireSessions } from "../../src/payments/sessions/record-expired.ts";
import { deleteOldKeys } from "../../src/platform/idempotency/idempotency.ts";
import { isAnyOf } from "../../src/platform/storage/nodes.ts";
import type { Tenant } from "../../src/platform/tenant.ts";
import { claimDeliveries } from "../../src/webhooks/claim-deliveries.ts";
import { payUpToChallenge } from "./customer.ts";
import { newMerchant, type Merchant } from "./merchant.ts";
import type { TestService } from "./test-service.ts";
import { until } from "./until.ts";

export interface DueWork {
  what: string;
  table: string;
  /** The condition for rows that are due. */
  isDue: string;
  /** Makes `count` rows due, one of them since `since`, and each other one a second later than the one before. */
  make(service: TestService, merchant: Merchant, count: number, since: Date): Promise<void>;
  /** Takes up to `limit` rows. */
  take(context: Context, limit: number): Promise<unknown>;
}

const open = { perAccount: 1_000, perEndpoint: 1_000, perFailingEndpoint: 1, taken: new Map<string, number>() };

export const dueWork: readonly DueWork[] = [
  {
    what: "attempts",
    table: "attempt",
    isDue: "status = 'processing' and claimed_until is null",
    async make({ context }, merchant, count, since) {
      const { body } = await merchant.charge("pm_card_visa", { capture_method: "manual" });
      const changes = { kind: "'cancel'", status: "'processing'", claimed_until: "null", finished_at: "null" };
      await copy(context, "attempt", `charge_id = '${String(body["id"])}'`, count, {
        ...changes,
        id: ownId,
        next_call_at: after(since),
        created_at: after(since),
      });
    },
    take: takeDueAttempts,
  },
  {
    what: "missing 3-D Secure results",
    table: "authentication",
    isDue: "status = 'challenge' and result_requested_at is null and created_at < '2100-01-01'",
    async make({ context }, merchant, count, since) {
      const { id } = await payUpToChallenge(await merchant.checkout());
      const session = { session_id: "null" };
      await copy(context, "decision", `id = '${id}'`, count, { ...session, id: ownId, expires_at: after(farAway) });
      await copy(context, "authentication", `decision_id = '${id}'`, count, {
        id: "gen_random_uuid()",
        decision_id: ownId.replace("id", "decision_id"),
        created_at: after(since),
        deadline: after(new Date(since.getTime() + 3_600_000)),
      });
      await context.db
        .updateTable("authentication")
        .set({ created_at: farAway })
        .where("decision_id", "=", id)
        .execute();
    },
    take: (context, limit) => takeMissingResults(context, new Date(0), limit),
  },
  {
    what: "expired sessions",
    table: "checkout_session",
    isDue: "status = 'open' and expires_at < '2100-01-01'",
    async make({ context }, merchant, count, since) {
      const { sessionId } = await merchant.checkout();
      await copy(context, "checkout_session", `id = '${sessionId}'`, count, { id: ownId, expires_at: after(since) });
      const original = context.db.updateTable("checkout_session").where("id", "=", sessionId);
      await original.set({ expires_at: farAway }).execute();
    },
    take: expireSessions,
  },
  {
    what: "expired decisions",
    table: "decision",
    isDue: "status = 'approved' and expires_at < '2100-01-01'",
    async make({ context }, merchant, count, since) {
      const { id } = await merchant.decide("pm_card_visa");
      await copy(context, "decision", `id = '${String(id)}'`, count, { id: ownId, expires_at: after(since) });
      const original = context.db.updateTable("decision").where("id", "=", String(id));
      await original.set({ expires_at: farAway }).execute();
    },
    take: expireDecisions,
  },
  {
    what: "stored responses",
    table: "idempotency_key",
    isDue: "key like 'old %'",
    async make({ context: { db } }, { tenant: { accountNo, livemode } }, count, since) {
      await sql`
        insert into idempotency_key
          (account_no, livemode, key, fingerprint, claim, response_status, sealed_response, created_at, answered_at)
        select ${accountNo}, ${livemode}, 'old ' || g, '', '', 200, '', at, at
        from (select g, ${sql.raw(after(yearBefore(since)))} as at from generate_series(1, ${count}::integer) g) old`.execute(
        db,
      );
    },
    take: deleteOldKeys,
  },
  {
    what: "logged requests",
    table: "request_log",
    isDue: "id like 'old %'",
    async make({ context: { db } }, { tenant: { accountNo, livemode } }, count, since) {
      await sql`
        insert into request_log (account_no, livemode, id, api_key_id, method, path, status, duration_ms, created_at)
        select ${accountNo}, ${livemode}, 'old ' || g, '', 'GET', '/', 200, 1, ${sql.raw(after(yearBefore(since)))}
        from generate_series(1, ${count}::integer) g`.execute(db);
    },
    take: deleteOldRequests,
  },
  {
    what: "card tries",
    table: "card_try",
    isDue: "decision_id like 'old %'",
    async make({ context: { db } }, { tenant: { accountNo, livemode } }, count, since) {
      await sql`
        insert into card_try (account_no, livemode, decision_id, amount, currency, outcome, created_at)
        select ${accountNo}, ${livemode}, 'old ' || g, 1, 'eur', 'approved', ${sql.raw(after(yearBefore(since)))}
        from generate_series(1, ${count}::integer) g`.execute(db);
    },
    take: deleteOldTries,
  },
  {
    what: "card testing reports",
    table: "card_testing_report",
    isDue: "true",
    async make({ context: { db } }, { tenant: { accountNo, livemode } }, count, since) {
      await sql`
        insert into card_testing_report
          (account_no, livemode, id, started_at, seen_at, ended_at, attempts, blocked, declined, approved, created_at)
        select ${accountNo}, ${livemode}, 'old ' || at, at, at, at, 1, 1, 0, 0, at
        from (select ${sql.raw(after(yearBefore(since)))} as at from generate_series(1, ${count}::integer) g) old`.execute(
        db,
      );
    },
    take: deleteOldTries,
  },
  {
    what: "deliveries",
    table: "delivery",
    isDue: "status = 'pending' and tries = 0 and next_try_at < created_at",
    async make({ context }, merchant, count, since) {
      const endpoint = { url: "http://127.0.0.1:9999/", enabled_events: ["payment.succeeded"] };
      await merchant.call("POST", "/api/v1/webhook_endpoints", endpoint);
      await merchant.charge("pm_card_visa");
      const delivery = await until("the delivery", async () => {
        const own = context.db.selectFrom("delivery").selectAll().where("account_no", "=", merchant.tenant.accountNo);
        return (await own.executeTakeFirst()) ?? null;
      });
      await copy(context, "event", `id = '${delivery.event_id}'`, count, { id: ownId, object_id: "'old ' || g" });
      await copy(context, "delivery", `id = '${delivery.id}'`, count, {
        id: ownId,
        event_id: ownId.replace("id", "event_id"),
        next_try_at: after(since),
      });
      await context.db.deleteFrom("delivery").where("id", "=", delivery.id).execute();
    },
    take: (context, limit) => claimDeliveries(context, { ...open, total: limit }),
  },
];

/** Two merchants with due work: one with many rows, which have been due for longer, and one with few. */
export async function manyAndFew(
  service: TestService,
  work: DueWork,
  { many, few }: { many: number; few: number },
): Promise<{ many: Merchant; few: Merchant }> {
  const merchants = { many: await newMerchant(service), few: await newMerchant(service) };
  const now = service.context.now().getTime();
  await work.make(service, merchants.many, many, new Date(now - 2 * 3_600_000));
  await work.make(service, merchants.few, few, new Date(now - 3_600_000));
  return merchants;
}

/** The context while only these merchants' nodes respond, as if the database were a Citus cluster. */
export function whileOthersAreMissing(context: Context, ...merchants: Merchant[]): Context {
  const isReachable = isAnyOf(merchants.map(({ tenant }) => tenant.accountNo));
  const nodes: Context["nodes"] = {
    missing: ["db-2:5432"],
    ofAllAccounts: async (query) => await query(isReachable),
    requireNodeOf() {},
    async stop() {},
  };
  return { ...context, nodes };
}

/** How many of a merchant's rows are due. */
export async function countDue({ db }: Context, { table, isDue }: DueWork, { accountNo }: Tenant): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.table(table)} where account_no = ${accountNo} and ${sql.raw(isDue)}`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

const farAway = new Date("2200-01-01");

/** The ID of a copy. It names the same owner, and ends with the copy's number. */
const ownId = "left(id, -4) || lpad(g::text, 4, '0')";

function yearBefore(time: Date): Date {
  return new Date(time.getTime() - 365 * 24 * 3_600_000);
}

function after(since: Date): string {
  return `timestamptz '${since.toISOString()}' + (g - 1) * interval '1 second'`;
}

/** Copies a row. `changes` has an SQL expression for each column that differs; `g` is the copy's number, from 1. */
async function copy(
  { db }: Context,
  table: string,
  where: string,
  count: number,
  changes: Record<string, string>,
): Promise<void> {
  const pairs = Object.entries(changes).map(([column, value]) => `'${column}', ${value}`);
  await sql
    .raw(
      `insert into ${table} select (jsonb_populate_record(original, jsonb_build_object(${pairs.join(", ")}))).*
       from ${table} original, generate_series(1, ${count}) g where ${where}`,
    )
    .execute(db);
}
