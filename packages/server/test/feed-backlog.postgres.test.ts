/** Checks that a long queue of the feed is numbered, also if PostgreSQL's statistics don't know the account yet. */
import { sql } from "kysely";
import { expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { numberAllFeeds } from "../src/payments/events/feed-queue.ts";
import { newMerchant } from "./setup/merchant.ts";
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
  await numberAllFeeds(context);
  expect(await db.selectFrom("feed_queue").select("event_id").executeTakeFirst()).toBeUndefined();
  const counter = db.selectFrom("feed_counter").select("last").where("account_no", "=", account_no);
  expect(await counter.executeTakeFirst()).toEqual({ last: 60_000 });
});
