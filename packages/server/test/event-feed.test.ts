/** Tests the event feed: it returns every event once, oldest first, whatever order transactions commit in. */
import { sql } from "kysely";
import { describe, expect, inject, it } from "vitest";
import type { ChargeWithSession } from "@oriel/protocol/api";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { numberAllFeeds } from "../src/payments/events/feed-queue.ts";
import { recordEvent } from "../src/payments/events/record-event.ts";
import { noCause } from "../src/platform/cause.ts";
import type { Tx } from "../src/platform/storage/database.ts";
import { expectError, invalid } from "./setup/expect-error.ts";
import { newMerchant, type Merchant } from "./setup/merchant.ts";
import { startTestService, type Json } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

/** PGlite has one connection, so a transaction starts there when the one before it has ended. */
const isConcurrent = inject("postgresUrl") !== null;

const service = await openForTests(startTestService());

interface Page {
  data: Json[];
  has_more: boolean;
  cursor: string;
}

async function readFeed({ call }: Merchant, after: string, more = ""): Promise<Page> {
  const { status, body } = await call("GET", `/api/v1/events?after=${after}${more}`);
  expect(status).toBe(200);
  return body as unknown as Page; // the tests check its fields
}

/** Reads page by page to the end until this many events were returned. */
async function readFeedUntil(
  merchant: Merchant,
  after: string,
  count: number,
  limit = 100,
): Promise<{ events: Json[]; cursor: string }> {
  const events: Json[] = [];
  let cursor = after;
  return await until(`${count} events in the feed`, async () => {
    const page = await readFeed(merchant, cursor, `&limit=${limit}`);
    events.push(...page.data);
    cursor = page.cursor;
    return !page.has_more && events.length >= count ? { events, cursor } : null;
  });
}

/** The part of a charge that is checked. */
const chargeWithId = (name: string) => ({ id: `ch_${name}` }) as ChargeWithSession;

async function record(tx: Tx, { tenant }: Merchant, name: string): Promise<void> {
  await recordEvent(service.context, tx, tenant, { type: "payment_failed", object: chargeWithId(name) }, noCause);
}

/** Opens a transaction that waits in the middle until it is released. */
function open(work: (tx: Tx, goOn: Promise<void>) => Promise<void>): { commit(): Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = service.context.db.transaction().execute((tx) => work(tx, promise));
  return {
    async commit() {
      resolve();
      await done;
    },
  };
}

const namesOf = (events: Json[]) =>
  events.map(({ data, object_sequence }) => `${data?.["object"]?.["id"]} ${object_sequence}`);

describe("the event feed", () => {
  it("returns events from the first one on, in pages, and continues from a cursor", async () => {
    const merchant = await newMerchant(service);
    expect(await readFeed(merchant, "start")).toMatchObject({
      object: "list",
      data: [],
      has_more: false,
      cursor: expect.any(String),
    });
    const ids = [];
    for (let i = 0; i < 5; i++) ids.push(String((await merchant.charge("pm_card_visa")).body["id"]));

    const { events, cursor } = await readFeedUntil(merchant, "start", 5, 2);
    expect(events.map(({ data }) => String(data?.["object"]?.["id"]))).toEqual(ids);
    expect(events).toEqual([...(await merchant.list("events"))].reverse());
    expect((await readFeed(merchant, cursor)).data).toEqual([]);

    const late = String((await merchant.charge("pm_card_visa")).body["id"]);
    for (const from of [cursor, String(events.at(-1)?.["id"])]) {
      expect((await readFeedUntil(merchant, from, 1)).events).toMatchObject([{ data: { object: { id: late } } }]);
    }
  });

  it("can start at the current time and return a single type, without reading skipped events again", async () => {
    const merchant = await newMerchant(service);
    await merchant.charge("pm_card_visa");
    await readFeedUntil(merchant, "start", 1);
    const now = await readFeed(merchant, "now");
    expect(now.data).toEqual([]);
    await merchant.charge("pm_card_declined_generic");
    await merchant.charge("pm_card_visa");
    await readFeedUntil(merchant, now.cursor, 2);
    const { data, cursor } = await readFeed(merchant, now.cursor, "&type=payment_failed");
    expect(data).toMatchObject([{ type: "payment_failed" }]);
    expect((await readFeed(merchant, cursor)).data).toEqual([]);
  });

  it("returns only the merchant's own events, separately for each mode", async () => {
    const [merchant, other] = [await newMerchant(service), await newMerchant(service)];
    await merchant.charge("pm_card_visa");
    const { cursor } = await readFeedUntil(merchant, "start", 1);
    expect((await readFeed(other, "start")).data).toEqual([]);
    expectError(await other.call("GET", `/api/v1/events?after=${cursor}`), invalid("parameter_invalid", "after"));
    const [event] = await merchant.list("events");
    expectError(
      await other.call("GET", `/api/v1/events?after=${String(event?.["id"])}`),
      invalid("resource_missing", "after"),
    );
  });

  it.each(["0", "end", "evt", "evt_%20", "1-", "-1-1", "1-1-1", "1.0-2", "9999999999999999-1", "1-evt_1", "-evt_1"])(
    "refuses %j as a cursor",
    async (after) => {
      const { call } = await newMerchant(service);
      expectError(await call("GET", `/api/v1/events?after=${after}`), invalid("parameter_invalid", "after"));
    },
  );

  it.each(["starting_after", "ending_before"])("refuses the list parameter %s", async (name) => {
    const { call } = await newMerchant(service);
    expectError(await call("GET", `/api/v1/events?after=start&${name}=evt_1`), invalid("parameter_invalid", name));
  });

  it("returns events again, after all others, when they were redelivered to all endpoints", async () => {
    const merchant = await newMerchant(service);
    for (let i = 0; i < 3; i++) await merchant.charge("pm_card_visa");
    const { events, cursor } = await readFeedUntil(merchant, "start", 3);
    const [first] = events;
    await merchant.call("POST", `/api/v1/events/${String(first?.["id"])}/redeliver`, {});
    expect((await readFeedUntil(merchant, cursor, 1)).events).toEqual([first]);
    expect((await readFeedUntil(merchant, "start", 4, 1)).events).toEqual([...events, first]);
    expect((await readFeed(merchant, cursor, "&type=charge.canceled")).data).toEqual([]);
  });
});

describe("two transactions that commit in a different order than they started", () => {
  it("hide nothing from the feed: each event appears when it is committed, after all that were returned before", async () => {
    const merchant = await newMerchant(service);
    const { cursor } = await readFeed(merchant, "start");
    const began = Promise.withResolvers<void>();
    const first = open(async (tx, goOn) => {
      await record(tx, merchant, "first");
      began.resolve();
      await goOn;
    });
    await began.promise;
    const second = service.context.db.transaction().execute((tx) => record(tx, merchant, "second"));

    const check = async () => {
      await second;
      return {
        listed: namesOf(await merchant.list("events")),
        inFeed: namesOf((await readFeed(merchant, cursor)).data),
      };
    };
    const meanwhile = isConcurrent ? await check() : null;
    expect(meanwhile).toEqual(isConcurrent ? { listed: ["ch_second 1"], inFeed: ["ch_second 1"] } : null);
    await first.commit();
    await second;
    const order = isConcurrent ? ["ch_second 1", "ch_first 1"] : ["ch_first 1", "ch_second 1"];
    expect(namesOf((await readFeed(merchant, cursor)).data)).toEqual(order);
  });

  it("keep an object's events in order, even if the later event's transaction started first", async () => {
    const merchant = await newMerchant(service);
    const began = Promise.withResolvers<void>();
    const older = open(async (tx, goOn) => {
      await sql`select pg_current_xact_id()`.execute(tx); // this assigns the transaction ID
      began.resolve();
      await goOn;
      await record(tx, merchant, "one");
    });
    await began.promise;
    const later = service.context.db.transaction().execute((tx) => record(tx, merchant, "one"));
    if (isConcurrent) await later;
    await older.commit();
    await later;
    expect(namesOf((await readFeedUntil(merchant, "start", 2, 1)).events)).toEqual(["ch_one 1", "ch_one 2"]);
  });

  it("leave every event in the feed once and in its object's order, even with hundreds of events during a read", async () => {
    const merchant = await newMerchant(service);
    const reading = readFeedUntil(merchant, "start", 288, 7);
    const objects = ["a", "b", "c", "d", "e"];
    const writers = Array.from({ length: 12 }, async (_, writer) => {
      for (let i = 0; i < 12; i++) {
        // Sorted, so that all writers lock in the same order.
        const names = [objects[(writer + i) % 5] ?? "", objects[(writer + i + 2) % 5] ?? ""].toSorted();
        await service.context.db.transaction().execute(async (tx) => {
          for (const name of new Set(names)) {
            await record(tx, merchant, `${merchant.tenant.accountNo}_${name}`);
            await sql`select pg_sleep(${Math.random() / 200})`.execute(tx);
          }
        });
      }
    });
    await Promise.all(writers);
    const seen = namesOf((await reading).events);
    seen.push(...namesOf((await readFeedUntil(merchant, (await reading).cursor, 0)).events));

    const rows = await service.context.db
      .selectFrom("event")
      .select(["object_id", "object_sequence"])
      .where("account_no", "=", merchant.tenant.accountNo)
      .execute();
    expect(seen.toSorted()).toEqual(rows.map((row) => `${row.object_id} ${row.object_sequence}`).toSorted());
    expect(seen).toHaveLength(288);
    for (const [, of] of Map.groupBy(seen, (name) => name.split(" ")[0])) {
      const numbers = of.map((name) => Number(name.split(" ")[1]));
      expect(numbers).toEqual(numbers.map((_, i) => i + 1));
    }
  });
});

describe("the numbers of the feed", () => {
  it("have no gaps and no duplicates when many processes assign them at once, a thousand at a time", async () => {
    const merchant = await newMerchant(service);
    const { db } = service.context;
    const { accountNo, livemode } = merchant.tenant;
    await merchant.charge("pm_card_visa");
    const [event] = await merchant.list("events");
    await sql`insert into feed_queue (account_no, livemode, event_id)
              select ${accountNo}, ${livemode}, ${String(event?.["id"])} from generate_series(1, 2500)`.execute(db);
    await Promise.all([
      ...Array.from({ length: 8 }, () => readFeed(merchant, "now")),
      numberAllFeeds(service.context),
      numberAllFeeds(service.context),
    ]);
    const entries = db.selectFrom("feed_entry").select("number").where("account_no", "=", accountNo);
    const numbers = (await entries.orderBy("number").execute()).map(({ number }) => number);
    expect(numbers).toEqual(Array.from({ length: 2501 }, (_, n) => n + 1));
    expect(await db.selectFrom("feed_queue").select("position").where("account_no", "=", accountNo).execute()).toEqual(
      [],
    );
  });

  it("follow the order of an object's events, even if different nodes of a cluster assigned their positions", async () => {
    const merchant = await newMerchant(service);
    const { db } = service.context;
    const { accountNo } = merchant.tenant;
    const recordOne = () => db.transaction().execute((tx) => record(tx, merchant, "moved"));
    await recordOne();
    // As if the account had been on a node with higher positions, and one of its events had been redelivered.
    await sql`with taken as (delete from feed_queue where account_no = ${accountNo} returning *)
              insert into feed_queue (account_no, livemode, position, event_id) overriding system value
              select account_no, livemode, position + (n::bigint << 48), event_id
              from taken, generate_series(2, 3) n`.execute(db);
    await recordOne();
    await recordOne();
    expect(namesOf((await readFeed(merchant, "start")).data)).toEqual([
      "ch_moved 1",
      "ch_moved 1",
      "ch_moved 2",
      "ch_moved 3",
    ]);
  });

  it("follow the order of an object's events even if more are queued than are numbered at once", async () => {
    const merchant = await newMerchant(service);
    const { db } = service.context;
    const { accountNo } = merchant.tenant;
    const recordOne = (object: string) => db.transaction().execute((tx) => record(tx, merchant, object));
    await recordOne("moved");
    await sql`with taken as (delete from feed_queue where account_no = ${accountNo} returning *)
              insert into feed_queue (account_no, livemode, position, event_id) overriding system value
              select account_no, livemode, position + (1::bigint << 48), event_id from taken`.execute(db);
    await recordOne("moved");
    await recordOne("other");
    await sql`insert into feed_queue (account_no, livemode, event_id)
              select account_no, livemode, id from event, generate_series(1, 1000)
              where account_no = ${accountNo} and object_id = 'ch_other'`.execute(db);
    await readFeed(merchant, "start");
    const { rows } = await sql<{ object_sequence: number }>`
      select object_sequence from feed_entry entry
      join event on event.account_no = entry.account_no and event.livemode = entry.livemode and event.id = entry.event_id
      where entry.account_no = ${accountNo} and object_id = 'ch_moved' order by number`.execute(db);
    expect(rows.map(({ object_sequence }) => object_sequence)).toEqual([1, 2]);
  });

  it("are assigned by the worker if nobody reads the feed", async () => {
    const [one, other] = [await newMerchant(service), await newMerchant(service)];
    for (const merchant of [one, other]) await merchant.charge("pm_card_visa");
    const { db } = service.context;
    await numberAllFeeds(service.context);
    expect(await db.selectFrom("feed_queue").selectAll().execute()).toEqual([]);
    for (const { tenant } of [one, other]) {
      const entries = db.selectFrom("feed_entry").select("number").where("account_no", "=", tenant.accountNo);
      expect(await entries.execute()).toEqual([{ number: 1 }]);
    }
  });
});

describe("a cursor from before the database was restored from an older backup", () => {
  it.each(["the number is missing", "the number belongs to another event"])(
    "is refused with the event to continue after: %s",
    async (why) => {
      const merchant = await newMerchant(service);
      for (let i = 0; i < 3; i++) await merchant.charge("pm_card_visa");
      const { events, cursor } = await readFeedUntil(merchant, "start", 3);
      const [, second, third] = events.map(({ id }) => String(id));
      const { db } = service.context;
      // What a restore leaves of it: the third event never happened.
      const { accountNo } = merchant.tenant;
      await sql`delete from feed_entry where account_no = ${accountNo} and number = 3`.execute(db);
      await sql`delete from delivery where account_no = ${accountNo} and event_id = ${third}`.execute(db);
      await sql`delete from event where account_no = ${accountNo} and id = ${third}`.execute(db);
      await sql`update feed_counter set last = 2 where account_no = ${accountNo}`.execute(db);
      if (why === "the number belongs to another event") await merchant.charge("pm_card_declined_generic");

      const response = await merchant.call("GET", `/api/v1/events?after=${cursor}`);

      expectError(response, invalid("parameter_invalid", "after"));
      expect(response.text).toContain(`after=${second}`);
      const { data } = await readFeed(merchant, second ?? "");
      const types = data.map(({ type }) => String(type));
      expect(types).toEqual(why === "the number is missing" ? [] : ["payment_failed"]);
    },
  );
});
