/**
 * What the event feed is ordered by: transaction IDs. PostgreSQL gives them out in ascending order and says which of
 * them still run.
 *
 * A database that was restored from a dump counts them from the start again. So how far they had come is written down
 * from time to time (`reached`), and where they have fallen behind that, everything from then on is counted on top of
 * it (`ahead`): the feed goes on, and no cursor is beyond it.
 */
import { sql } from "kysely";
import type { Db } from "../../platform/storage/database.ts";

/** Far more than can have happened since `reached` was written. */
const margin = 1_000_000_000;

/** The order key of an event that this transaction writes. */
export const orderKey = sql<number>`pg_current_xact_id()::text::bigint + (select ahead from event_clock)`;

const nextKey = sql<number>`pg_snapshot_xmax(pg_current_snapshot())::text::bigint + ahead`;

/** The oldest transaction that still runs, as an order key: below it nothing can appear any more. */
export async function readHorizon(db: Db): Promise<number> {
  const oldest = sql<number>`pg_snapshot_xmin(pg_current_snapshot())::text::bigint + ahead`.as("horizon");
  return (await db.selectFrom("event_clock").select(oldest).executeTakeFirstOrThrow()).horizon;
}

/** At every start, before anything is written. Changes nothing unless transaction ids have begun again. */
export async function setEventClock(db: Db): Promise<void> {
  await db
    .updateTable("event_clock")
    .set({ ahead: sql<number>`ahead + reached - (${nextKey}) + ${margin}::bigint` })
    .where("reached", ">", nextKey)
    .execute();
}

/** Every now and then. */
export async function noteEventClock(db: Db): Promise<void> {
  await db
    .updateTable("event_clock")
    .set({ reached: sql<number>`greatest(reached, ${nextKey})` })
    .execute();
}
