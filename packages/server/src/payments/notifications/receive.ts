/**
 * Receives a request that claims to be an acquirer's notification. Every authentic item is stored before the response,
 * and processed afterwards (`process.ts`). Items that aren't authentic are neither stored nor processed.
 */
import type { AcquirerAccount, Notification, ReadNotification, RefusedBecause } from "@oriel/vault";
import { missingInPath, serviceUnavailable } from "../../platform/errors.ts";
import { tenantOfId } from "../../platform/ids.ts";
import { stackOf } from "../../platform/stack-of.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";
import { ownerColumns, type Tenant } from "../../platform/tenant.ts";
import { raiseUnusable } from "../attention/raise-unusable.ts";
import type { PaymentContext } from "../context.ts";
import { processNotification } from "./process.ts";
import type { NotificationKey } from "./queue.ts";
import { raiseAboutNotification } from "./raise-about-notification.ts";
import { fromContents, toContents, type Contents } from "./stored.ts";

/** Workers leave a new notification to the process that received it for so long. Then that process has probably died. */
const ownMs = 10_000;

/**
 * @returns `accepted` if all items are authentic and stored, or why an item was refused. Authentic items in the same
 *   request are stored all the same, because the acquirer may not send them again.
 * @throws ApiError `resource_missing` if there's no such acquirer account, `service_unavailable` if it can't be used now
 */
export async function receiveNotification(
  context: PaymentContext,
  acquirerAccountId: string,
  body: unknown,
): Promise<"accepted" | RefusedBecause> {
  const owner = tenantOfId(acquirerAccountId);
  context.nodes.requireNodeOf(owner?.accountNo);
  // A replaced one still receives notifications about its payments.
  const account = owner === undefined ? null : await context.acquirerAccounts.find(owner, acquirerAccountId);
  if (account === null) throw missingInPath("acquirer account", acquirerAccountId);
  const items = await read(context, account, body);
  const authentic = items.filter((item) => "event" in item);
  for (const key of await store(context, account, authentic))
    context.inBackground(`notification to ${key.acquirer_account_id}`, processNotification(context, key));
  const [refused] = items.filter((item) => "refused" in item);
  for (const item of items) context.telemetry.notification(account.mode, "refused" in item ? item.refused : "accepted");
  if (refused === undefined) return "accepted";
  // Neither the body nor what was wrong with it, because anyone can send a request to this URL.
  const details = { acquirer_account: account.id, refused: refused.refused };
  context.log.warn(details, "A notification was refused. Check the acquirer account's webhook settings and keys");
  return refused.refused;
}

async function read(context: PaymentContext, account: AcquirerAccount, body: unknown): Promise<ReadNotification[]> {
  try {
    const items = await context.vault.readNotification(account, body);
    if (items === "not_a_notification") return [{ refused: "invalid" }];
    if (items !== "unusable") return items.length === 0 ? [{ refused: "invalid" }] : items;
    await raiseUnusable(context, ownerOf(account), account.id);
  } catch (error) {
    context.log.error(
      { acquirer_account: account.id, error: stackOf(error) },
      "Notifications can't be read, and the acquirer must send them again",
    );
  }
  throw serviceUnavailable();
}

/** @returns the keys of those that weren't known yet */
async function store(
  context: PaymentContext,
  account: AcquirerAccount,
  notifications: readonly Notification[],
): Promise<NotificationKey[]> {
  const keys = await insert(context, account, notifications);
  const others: Other[] = [];
  for (const other of await othersOf(context, account, notifications)) {
    if (other.isStored) others.push(other);
    else await raiseExcess(context, account, other);
  }
  return [...keys, ...(await insert(context, account, others))];
}

/** One that may be new or a copy of a stored one with another date. */
type Other = Notification & { isReportedAgain: true; isStored: boolean };

/** The date isn't signed, so anyone could make up more of them. But one of them may be true. */
async function raiseExcess(
  context: PaymentContext,
  account: AcquirerAccount,
  { id, ...notification }: Other,
): Promise<void> {
  const contents = fromContents(JSON.parse(toContents(notification)) as Record<string, unknown>);
  const key = { ...ownerColumns(ownerOf(account)), acquirer_account_id: account.id, id };
  await context.db
    .transaction()
    .execute((tx) => raiseAboutNotification(context, tx, key, "unexpected_notification", contents, null));
}

/** How many of them are stored for each ID. */
const maxOthers = 9;

/**
 * Those that report a failure or a repetition again: they have the ID of one that's stored, and another date. The date
 * isn't signed, and the vendor may change it in a copy, so only a person is notified of them. Those for which there's
 * no place left aren't stored.
 */
async function othersOf(
  { db }: PaymentContext,
  account: AcquirerAccount,
  notifications: readonly Notification[],
): Promise<Other[]> {
  const repeatable = notifications.filter(canRepeat);
  if (repeatable.length === 0) return [];
  const stored = await db
    .selectFrom("acquirer_notification")
    .select(["id", "contents"])
    .where(ownedBy(ownerOf(account)))
    .where("acquirer_account_id", "=", account.id)
    .where("id", "in", repeatable.flatMap(idsOf))
    .execute();
  const times = new Map(stored.map(({ id, contents }) => [id, timeOf(fromContents(contents))]));
  return repeatable.flatMap((notification) => {
    const ids = idsOf(notification);
    const time = timeOf(notification);
    const free = ids.find((id) => !times.has(id));
    const isKnown = ids.some((id) => times.get(id) === time);
    if (time === null || isKnown || (times.get(notification.id) ?? null) === null) return [];
    const id = free ?? otherId(notification, maxOthers + 1);
    return { ...notification, id, isReportedAgain: true as const, isStored: free !== undefined };
  });
}

/** Its own ID, and those under which the next ones are stored. */
function idsOf(notification: Notification): string[] {
  return [notification.id, ...Array.from({ length: maxOthers }, (_, n) => otherId(notification, n + 1))];
}

function otherId({ id }: Notification, place: number): string {
  return `${id}:${place}`;
}

function timeOf({ unsigned: { eventDate } }: Contents): number | null {
  const time = eventDate === null ? NaN : Date.parse(eventDate);
  return Number.isNaN(time) ? null : time;
}

function canRepeat({ event: { type }, unsigned }: Notification): boolean {
  return (
    type === "capture_failed" ||
    type === "refund_failed" ||
    type === "refund_reversed" ||
    unsigned.isRepetition === true
  );
}

async function insert(
  { db, now }: PaymentContext,
  account: AcquirerAccount,
  notifications: readonly (Contents & { id: string })[],
): Promise<NotificationKey[]> {
  if (notifications.length === 0) return [];
  const receivedAt = now();
  const rows = notifications.map((notification) => ({
    ...ownerColumns(ownerOf(account)),
    acquirer_account_id: account.id,
    id: notification.id,
    status: "received" as const,
    contents: toContents(notification),
    next_try_at: new Date(receivedAt.getTime() + ownMs),
    received_at: receivedAt,
  }));
  return await db
    .insertInto("acquirer_notification")
    .values(rows)
    .onConflict((conflict) => conflict.columns(["account_no", "livemode", "acquirer_account_id", "id"]).doNothing())
    .returning(["account_no", "livemode", "acquirer_account_id", "id"])
    .execute();
}

function ownerOf({ accountNo, mode }: AcquirerAccount): Tenant {
  return { accountNo, livemode: mode === "live" };
}
