/**
 * Orders the event feed by transaction IDs. PostgreSQL assigns them in ascending order and reports which transactions
 * are still running.
 *
 * In a database restored from a dump, they start from the beginning. So the highest ID so far is saved periodically
 * (`reached`). If the current IDs are lower than that, an offset (`ahead`) is added to all later ones. The feed then
 * continues after all existing cursors.
 */
import { sql } from "kysely";
import type { Db } from "../../platform/storage/database.ts";

/** Far more transactions than can have happened since `reached` was saved. */
const margin = 1_000_000_000;

/** The order key of an event written in this transaction. */
export const orderKey = sql<number>`pg_current_xact_id()::text::bigint + (select ahead from event_clock)`;

const nextKey = sql<number>`pg_snapshot_xmax(pg_current_snapshot())::text::bigint + ahead`;

/** Returns the order key of the oldest running transaction. New events can't have a lower key. */
export async function readHorizon(db: Db): Promise<number> {
  const oldest = sql<number>`pg_snapshot_xmin(pg_current_snapshot())::text::bigint + ahead`.as("horizon");
  return (await db.selectFrom("event_clock").select(oldest).executeTakeFirstOrThrow()).horizon;
}

/** Runs at every start, before anything is written. Changes nothing unless transaction IDs have started over. */
export async function setEventClock(db: Db): Promise<void> {
  await db
    .updateTable("event_clock")
    .set({ ahead: sql<number>`ahead + reached - (${nextKey}) + ${margin}::bigint` })
    .where("reached", ">", nextKey)
    .execute();
}

/** Saves the highest transaction ID so far. Runs periodically. */
export async function noteEventClock(db: Db): Promise<void> {
  await db
    .updateTable("event_clock")
    .set({ reached: sql<number>`greatest(reached, ${nextKey})` })
    .execute();
}
