/**
 * Numbers the entries of the event feed. Events are queued by the transactions that write them and numbered afterwards,
 * once they are committed, so the numbers have no gaps and never change. No transaction waits for another one's number,
 * and a long transaction, here or in another database of the same server, hides nothing.
 */
import { sql } from "kysely";
import type { PlatformContext } from "../../platform/context.ts";
import type { Db, Tx } from "../../platform/storage/database.ts";
import type { IsReachable } from "../../platform/storage/nodes.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";
import { groupByOwner, perOwner, type OwnedRow } from "../../platform/storage/per-owner.ts";
import { storedFunction } from "../../platform/storage/stored-function.ts";
import { ownerColumns, tenantOf, type Tenant } from "../../platform/tenant.ts";

/** How many entries are numbered while the account's counter is locked. */
const numberedAtOnce = 1_000;
/** How many entries are read to find out whose they are. */
const queuedAtOnce = 1_000;

/** Runs in the transaction that writes or redelivers the event. */
export async function queueForFeed(tx: Tx, tenant: Tenant, eventId: string): Promise<void> {
  await tx
    .insertInto("feed_queue")
    .values({ ...ownerColumns(tenant), event_id: eventId })
    .execute();
}

/** Numbers everything in an account's queue. */
export async function numberFeed(db: Db, tenant: Tenant): Promise<void> {
  for (;;) {
    const queued = db.selectFrom("feed_queue").select("event_id").where(ownedBy(tenant)).limit(1);
    if ((await queued.executeTakeFirst()) === undefined) return;
    await numberBatch(db, ownerColumns(tenant));
  }
}

/** Numbers the queues of accounts whose feed nobody reads, so that a first reader doesn't have to. */
export async function numberAllFeeds(context: Pick<PlatformContext, "db" | "nodes" | "log">): Promise<void> {
  const { db, nodes } = context;
  const owners = await nodes.ofAllAccounts(async (isReachable) => await findQueues(db, isReachable));
  await perOwner(context, "number feeds", owners, (owner) => numberFeed(db, tenantOf(owner)));
}

/**
 * Usually, all queues together are shorter than a page. After a page, this skips the rest of its last owner's queue, so a
 * long one is never read to its end.
 */
async function findQueues(db: Db, isReachable: IsReachable): Promise<OwnedRow[]> {
  const owners: OwnedRow[] = [];
  let last: OwnedRow = { account_no: -1, livemode: false };
  for (;;) {
    const page = await db
      .selectFrom("feed_queue")
      .select(["account_no", "livemode"])
      .where(isReachable())
      .where(sql<boolean>`(account_no, livemode) > (${last.account_no}::bigint, ${last.livemode}::boolean)`)
      .orderBy("account_no")
      .orderBy("livemode")
      .limit(queuedAtOnce)
      .execute();
    owners.push(...groupByOwner(page).map(([first]) => first));
    last = page.at(-1) ?? last;
    if (page.length < queuedAtOnce) return owners;
  }
}

/**
 * In a Citus cluster, each node draws positions from a range of its own, whose number is in the first 16 bits. After an
 * account was moved, later events can have lower positions. So if a queue has several ranges, a batch has the oldest
 * events, as far as their IDs say, and is numbered in the order of their `object_sequence`.
 *
 * Exported for `stored-functions.ts`.
 */
export const numberBatch = storedFunction("number_batch", {
  takes: { account_no: "bigint", livemode: "boolean" },
  declares: /* sql */ `
    counted bigint; highest bigint; queued record; next_event text; event_name text;
    numbered bigint[] := '{}'; waiting text[] := '{}'; sorted text[] := '{}';`,
  steps: /* sql */ `
    -- Locked first, so that the next statement sees everything that was committed until then.
    insert into feed_counter (account_no, livemode, last) values (:account_no, :livemode, 0)
    on conflict (account_no, livemode) do update set last = feed_counter.last
    returning last into counted;
    for queued in
      select position, event_id from feed_queue
      where account_no = :account_no and livemode = :livemode order by position limit ${numberedAtOnce}
    loop
      numbered := numbered || queued.position;
      waiting := waiting || queued.event_id;
    end loop;
    select position into highest from feed_queue
    where account_no = :account_no and livemode = :livemode order by position desc limit 1;
    if numbered[1] >> 48 <> highest >> 48 then
      numbered := '{}';
      waiting := '{}';
      for queued in
        select position, event_id from feed_queue
        where account_no = :account_no and livemode = :livemode order by event_id limit ${numberedAtOnce}
      loop
        numbered := numbered || queued.position;
        waiting := waiting || queued.event_id;
      end loop;
      for queued in
        select id from event
        where account_no = :account_no and livemode = :livemode and id = any (waiting) order by object_sequence, id
      loop
        -- A redelivered event can be in the queue several times.
        sorted := sorted || array_fill(queued.id, array[cardinality(array_positions(waiting, queued.id))]);
      end loop;
      waiting := sorted;
    end if;
    foreach next_event in array waiting loop
      select type into event_name from event
      where account_no = :account_no and livemode = :livemode and id = next_event;
      if found then
        counted := counted + 1;
        insert into feed_entry (account_no, livemode, number, event_id, event_type)
        values (:account_no, :livemode, counted, next_event, event_name);
      end if;
    end loop;
    delete from feed_queue
    where account_no = :account_no and livemode = :livemode and position = any (numbered);
    update feed_counter set last = counted where account_no = :account_no and livemode = :livemode;`,
});
