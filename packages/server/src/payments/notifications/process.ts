/**
 * Processes stored notifications: takes them from the queue, applies them (`apply.ts`), and records the result.
 *
 * A notification can be applied any number of times, by several processes at once, so a process may die at any point. If
 * it dies before the result is recorded, the notification is applied again, which changes nothing more:
 *
 * - An attempt is ended by a conditional update, and everything that follows commits with it.
 * - Ledger entries, disputes and items that need attention have keys.
 */
import { inParallel } from "../../platform/background/in-parallel.ts";
import { repeat } from "../../platform/background/repeat.ts";
import { stackOf } from "../../platform/stack-of.ts";
import type { PaymentContext } from "../context.ts";
import { apply } from "./apply.ts";
import {
  canTryAgain,
  finishNotification,
  readReceived,
  takeDueNotifications,
  tryLater,
  type NotificationKey,
} from "./queue.ts";
import { raiseAboutNotification } from "./raise-about-notification.ts";
import { fromContents } from "./stored.ts";

const everyMs = 1_000;
/** How many notifications a process takes and processes at a time. */
const atOnce = 8;

/** Processes due notifications every second until the returned function is called. */
export function startNotifications(context: PaymentContext): () => void {
  return repeat(context, "process notifications", everyMs, () => processDueNotifications(context));
}

/** Processes all notifications that are due. */
export async function processDueNotifications(context: PaymentContext): Promise<void> {
  for (;;) {
    const taken = await takeDueNotifications(context, atOnce);
    await inParallel(taken, atOnce, (key) => processNotification(context, key));
    if (taken.length < atOnce) return;
  }
}

/** Processes a notification, if that hasn't been done. A failure is logged, and it's tried again. */
export async function processNotification(context: PaymentContext, key: NotificationKey): Promise<void> {
  const { db, now, log } = context;
  const row = await readReceived(db, key);
  if (row === undefined) return;
  const notification = fromContents(row.contents);
  const details = { acquirer_account: key.acquirer_account_id, acquirer_event: notification.name };
  try {
    const { result, attempt } = await apply(context, key, notification, row);
    if (canTryAgain(result, row, now())) return await tryLater(context, row);
    if (result === "processed") return await finishNotification(db, key, "processed", now());
    await db.transaction().execute(async (tx) => {
      await raiseAboutNotification(context, tx, key, "unexpected_notification", notification, attempt);
      await finishNotification(tx, key, "unmatched", now());
    });
    log.warn({ ...details, attempt: attempt?.id ?? null }, "A notification doesn't fit what is known");
  } catch (error) {
    log.error({ ...details, error: stackOf(error) }, "A notification couldn't be processed and will be tried again");
    await tryLater(context, row);
  }
}
