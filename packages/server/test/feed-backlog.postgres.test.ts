/**
 * Checks that a long queue of the feed is numbered, also if PostgreSQL's statistics don't know the account yet, and that
 * looking for queues doesn't read it.
 */
import { CompiledQuery, sql } from "kysely";
import { expect, inject, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { numberAllFeeds } from "../src/payments/events/feed-queue.ts";
import { newMerchant } from "./setup/merchant.ts";
import { recordStatements, type RecordedStatement } from "./setup/recorded-statements.ts";
import { startTestService } from "./setup/test-service.ts";

const service = await openForTests(startTestService({ role: "api" }));
const { context } = service;
const { db } = context;

/** Records events of a new account and queues them for its feed. */
async function queueEvents(count: number): Promise<number> {
  const { accountNo } = (await newMerchant(service)).tenant;
  await sql`
    with recorded as (
      insert into event (account_no, livemode, id, type, object_id, object_sequence, object, created_at)
      select ${accountNo}::bigint, false, 'evt_' || lpad(number::text, 33, '0'), 'charge.succeeded', 'ch_' || number, 1,
        '{}', now()
      from generate_series(1, ${count}::integer) number
      returning id
    )
    insert into feed_queue (account_no, livemode, event_id) select ${accountNo}::bigint, false, id from recorded`.execute(
    db,
  );
  return accountNo;
}

it("numbers 60,000 events within the time limits of statements", { timeout: 120_000 }, async () => {
  for (let other = 0; other < 8; other++) await queueEvents(60);
  await sql`analyze feed_queue`.execute(db);
  const account_no = await queueEvents(60_000);
  const statements = await recordStatements(() => numberAllFeeds(context));
  expect(await db.selectFrom("feed_queue").select("event_id").executeTakeFirst()).toBeUndefined();
  const counter = db.selectFrom("feed_counter").select("last").where("account_no", "=", account_no);
  expect(await counter.executeTakeFirst()).toEqual({ last: 60_000 });
  const found = statements.filter(isSearch);
  expect(found.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThanOrEqual(8 * 60 + 1_000);
});

it("finds accounts on several pages, each once", async () => {
  const accounts = [];
  for (let other = 0; other < 5; other++) accounts.push(await queueEvents(400));
  const statements = await recordStatements(() => numberAllFeeds(context));
  expect(await db.selectFrom("feed_queue").select("event_id").executeTakeFirst()).toBeUndefined();
  expect(statements.filter(isSearch).length).toBeGreaterThan(1);
  const counters = db.selectFrom("feed_counter").select("last").where("account_no", "in", accounts);
  expect(await counters.execute()).toEqual(accounts.map(() => ({ last: 400 })));
});

// On Citus, the workers have the index.
it.skipIf(inject("cluster") !== null)("reads only as much of a long queue as it returns", async () => {
  await queueEvents(20_000);
  await sql`vacuum analyze feed_queue`.execute(db);
  const [search] = (await recordStatements(() => numberAllFeeds(context))).filter(isSearch);
  await queueEvents(20_000);
  await sql`vacuum analyze feed_queue`.execute(db);
  const explain = `explain (analyze, buffers, format json) ${search?.text}`;
  const { rows } = await db.executeQuery<{ "QUERY PLAN": [{ Plan: Plan }] }>(
    CompiledQuery.raw(explain, [...(search?.values ?? [])]),
  );
  const { Plan: plan } = rows[0]!["QUERY PLAN"][0];
  expect(scanIn(plan)).toMatchObject({ "Index Name": "feed_queue_pkey", "Actual Rows": 1_000 });
  expect(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]).toBeLessThan(30);
});

interface Plan {
  Plans?: [Plan];
  "Shared Hit Blocks": number;
  "Shared Read Blocks": number;
}

/** The innermost step. */
function scanIn(plan: Plan): Plan {
  return plan.Plans ? scanIn(plan.Plans[0]) : plan;
}

/** Whether a statement looks for accounts with a queue. */
function isSearch({ text }: RecordedStatement): boolean {
  return text.startsWith('select "account_no", "livemode" from "feed_queue"');
}
