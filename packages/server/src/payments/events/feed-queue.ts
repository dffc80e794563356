/**
 * Numbers the entries of the event feed. Events are queued by the transactions that write them and numbered afterwards,
 * once they are committed, so the numbers have no gaps and never change. No transaction waits for another one's number,
 * and a long transaction, here or in another database of the same server, hides nothing.
 */
import { sql } from "kysely";
import type { PlatformContext } from "../../platform/context.ts";
import type { Db, Tx } from "../../platform/storage/database.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";
import { groupByOwner, perOwner, type OwnedRow } from "../../platform/storage/per-owner.ts";
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
    const queued = db.selectFrom("feed_queue").select("position").where(ownedBy(tenant)).limit(1);
    if ((await queued.executeTakeFirst()) === undefined) return;
    await db.transaction().execute((tx) => numberBatch(tx, tenant));
  }
}

/** Numbers the queues of accounts whose feed nobody reads, so that a first reader doesn't have to. */
export async function numberAllFeeds(context: Pick<PlatformContext, "db" | "log">): Promise<void> {
  const owners = await findQueues(context.db);
  await perOwner(context, "number feeds", owners, (owner) => numberFeed(context.db, tenantOf(owner)));
}

/**
 * Usually, all queues together are shorter than a page. After a page, this skips the rest of its last owner's queue, so a
 * long one is never read to its end.
 */
async function findQueues(db: Db): Promise<OwnedRow[]> {
  const owners: OwnedRow[] = [];
  let last: OwnedRow = { account_no: -1, livemode: false };
  for (;;) {
    const page = await db
      .selectFrom("feed_queue")
      .select(["account_no", "livemode"])
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

async function numberBatch(tx: Tx, tenant: Tenant): Promise<void> {
  // Lock the counter in a statement of its own, so that the next one sees everything that was committed until then.
  const { last } = await tx
    .insertInto("feed_counter")
    .values({ ...ownerColumns(tenant), last: 0 })
    .onConflict((conflict) =>
      conflict.columns(["account_no", "livemode"]).doUpdateSet({ last: sql`feed_counter.last` }),
    )
    .returning("last")
    .executeTakeFirstOrThrow();
  const { accountNo, livemode } = tenant;
  await sql`
    with taken as (
      -- With in (…), the inner query could run again for each row.
      delete from feed_queue where account_no = ${accountNo} and livemode = ${livemode} and position = any(array(
        select position from feed_queue
        where account_no = ${accountNo} and livemode = ${livemode} order by position limit ${numberedAtOnce}
      ))
      returning position, event_id
    ),
    numbered as (
      insert into feed_entry (account_no, livemode, number, event_id, event_type)
      select event.account_no, event.livemode, ${last}::bigint + row_number() over (order by taken.position), event.id, event.type
      -- A plain join could read all of the account's events.
      from taken cross join lateral (
        select account_no, livemode, id, type from event
        where (account_no, livemode, id) = (${accountNo}::bigint, ${livemode}::boolean, taken.event_id)
        limit 1
      ) event
      returning number
    )
    update feed_counter set last = ${last}::bigint + (select count(*) from numbered)
    where account_no = ${accountNo} and livemode = ${livemode}`.execute(tx);
}
