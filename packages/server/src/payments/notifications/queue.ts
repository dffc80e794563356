/**
 * The queue of stored notifications. A row is its own entry: `next_try_at` says when it's due.
 *
 * ```
 *  (stored by `receive.ts`)
 *        |
 *        v                       processed (it has had its effect, or needed none)
 *    received --- process -----> unmatched (it fits nothing that we know, and a person was notified)
 *     ^    |
 *     +----+ what it's about isn't recorded yet: tried again after 1, 2, 4 ... 2048 seconds, which is over an hour in total
 *            it may be about an attempt whose outcome is unknown: tried again for as long as that's so
 *            it repeats a capture or refund whose failure isn't known yet: tried again for 30 days
 * ```
 * Two processes may process the same notification at the same time, which is harmless (`process.ts`).
 */
import type { Db } from "../../platform/storage/database.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";
import { takeDue } from "../../platform/storage/per-owner.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";
import type { PaymentContext } from "../context.ts";
import type { Result } from "./stored.ts";

export type NotificationKey = Pick<
  Row<"acquirer_notification">,
  "account_no" | "livemode" | "acquirer_account_id" | "id"
>;

/**
 * The pauses before the last try add up to 68 minutes. After a failure of ours, and for an attempt whose outcome is unknown,
 * it's tried again without an end.
 */
const maxTries = 12;
/**
 * The pauses before that add up to a minute, for which a decline waits for the reply to a repeated request. A request is
 * repeated 20 seconds after the first one had no reply for as long.
 */
const replyTries = 6;
/** For so long, an acquirer may keep sending a failure that we couldn't receive. Adyen does. */
const failureMs = 30 * 24 * 3_600_000;
/** If the process dies, another one takes the notification after this time. */
const claimMs = 30_000;

/** Claims due notifications. Each goes to one process. */
export async function takeDueNotifications(
  context: Pick<PaymentContext, "db" | "nodes" | "now" | "log">,
  limit: number,
): Promise<NotificationKey[]> {
  const { db, now } = context;
  const time = now();
  const taken = await takeDue(context, {
    step: "take due notifications",
    due: db
      .selectFrom("acquirer_notification")
      .select(["account_no", "livemode", "id"])
      .where("status", "=", "received")
      .where("next_try_at", "<=", time)
      .orderBy("next_try_at"),
    limit,
    take: (areTaken) =>
      db
        .updateTable("acquirer_notification")
        .set({ next_try_at: new Date(time.getTime() + claimMs) })
        .where(areTaken)
        .where("status", "=", "received")
        .where("next_try_at", "<=", time)
        .returning(["account_no", "livemode", "acquirer_account_id", "id"])
        .execute(),
  });
  return taken.flat();
}

/** @returns undefined if it has been processed */
export async function readReceived(db: Db, key: NotificationKey): Promise<Row<"acquirer_notification"> | undefined> {
  return await db
    .selectFrom("acquirer_notification")
    .selectAll()
    .where(ownedBy(tenantOf(key)))
    .where("acquirer_account_id", "=", key.acquirer_account_id)
    .where("id", "=", key.id)
    .where("status", "=", "received")
    .executeTakeFirst();
}

export async function finishNotification(
  db: Db,
  key: NotificationKey,
  status: "processed" | "unmatched",
  now: Date,
): Promise<void> {
  await received(db, key).set({ status, processed_at: now }).execute();
}

/** Whether the acquirer's reply to a request that's being repeated may still arrive. */
export function mayGetReply({ tries }: Pick<Tried, "tries">): boolean {
  return tries < replyTries;
}

export type Tried = Pick<Row<"acquirer_notification">, "tries" | "received_at">;

export function canTryAgain(result: Result, { tries, received_at }: Tried, now: Date): boolean {
  switch (result) {
    case "waits":
      return true;
    case "early":
      return now.getTime() < received_at.getTime() + failureMs;
    case "later":
      return tries < maxTries;
    case "processed":
    case "unexpected":
      return false;
  }
}

export async function tryLater(
  { db, now }: Pick<PaymentContext, "db" | "now">,
  row: NotificationKey & Pick<Row<"acquirer_notification">, "tries">,
): Promise<void> {
  const pauseSeconds = 2 ** Math.min(row.tries, maxTries);
  const next_try_at = new Date(now().getTime() + pauseSeconds * 1000);
  await received(db, row)
    .set({ next_try_at, tries: row.tries + 1 })
    .where("tries", "=", row.tries)
    .execute();
}

function received(db: Db, key: NotificationKey) {
  return db
    .updateTable("acquirer_notification")
    .where(ownedBy(tenantOf(key)))
    .where("acquirer_account_id", "=", key.acquirer_account_id)
    .where("id", "=", key.id)
    .where("status", "=", "received");
}
