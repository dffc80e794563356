/** Merchants at the simulator of Adyen whose notifications a test writes and sends itself, in any order. */
import { processDueNotifications } from "../../src/payments/notifications/process.ts";
import { hasId } from "../../src/platform/storage/owned-by.ts";
import type { Row } from "../../src/platform/storage/tables.ts";
import { signedNotification, startAdyen, type AdyenBank, type NotificationItem } from "./adyen.ts";
import { newMerchant, order, type Merchant } from "./merchant.ts";
import { startTestService, type Json, type TestService } from "./test-service.ts";
import { until } from "./until.ts";

export const merchantAccount = "KilnAndClay";

export interface Notifying {
  merchant: Merchant;
  acquirerAccountId: string;
  /** A charge of `order`, with its authorization. */
  charge(more?: object): Promise<{ id: string; authorization: Row<"attempt"> }>;
  /** A capture of a charge of `order` that the acquirer has accepted. */
  pendingCapture(amount?: number): Promise<{ id: string; authorization: Row<"attempt">; capture: Row<"attempt"> }>;
  /** The status of a charge in the API. */
  statusOf(chargeId: string): Promise<unknown>;
  /** The attempts of a charge, oldest first. */
  attempts(chargeId: string): Promise<Row<"attempt">[]>;
  /** The newest attempt of a charge. */
  latest(chargeId: string): Promise<Row<"attempt">>;
  /** Sends items in separate requests, one after the other, and waits until all are processed. */
  notify(...items: NotificationItem[]): Promise<void>;
  /** The stored notifications, oldest first, as `EVENT status`. */
  stored(): Promise<string[]>;
  /** What a person has to look at, oldest first. */
  attention(): Promise<Row<"attention">[]>;
  /** The ledger entries of a charge as `kind amount currency`, sorted. */
  ledger(chargeId: string): Promise<string[]>;
  disputes(chargeId: string): Promise<Json[]>;
}

/** Starts a service and a simulator whose own notifications are held back. */
export async function startSilentAdyen(): Promise<{
  adyen: AdyenBank;
  service: TestService;
  close(): Promise<void>;
}> {
  const adyen = await startAdyen();
  adyen.holdsNotifications = true;
  const service = await startTestService({ bankUrl: adyen.bankUrl });
  return {
    adyen,
    service,
    async close() {
      await service.close();
      await adyen.close();
    },
  };
}

export async function startNotifying(service: TestService, adyen: AdyenBank): Promise<Notifying> {
  const merchant = await newMerchant(service);
  const acquirerAccountId = await adyen.connect(service, merchant.tenant);
  const { db } = service.context;
  const rows = () =>
    db.selectFrom("acquirer_notification").selectAll().where("acquirer_account_id", "=", acquirerAccountId);

  const notifying: Notifying = {
    merchant,
    acquirerAccountId,
    async charge(more) {
      const id = String((await merchant.charge("pm_card_visa", more)).body["id"]);
      return { id, authorization: await notifying.latest(id) };
    },
    async pendingCapture(amount) {
      const { id, authorization } = await notifying.charge({ capture_method: "manual" });
      await merchant.capture(id, amount);
      return { id, authorization, capture: await notifying.latest(id) };
    },
    statusOf: async (id) => (await merchant.read(`charges/${id}`))["status"],
    attempts: (id) => db.selectFrom("attempt").selectAll().where(hasId(id, "charge_id")).orderBy("id").execute(),
    async latest(id) {
      const attempt = (await notifying.attempts(id)).at(-1);
      if (attempt === undefined) throw new Error(`The charge ${id} has no attempt`);
      return attempt;
    },
    async notify(...items) {
      for (const item of items) {
        const { status, text } = await adyen.notify(service, acquirerAccountId, signedNotification(item));
        if (status !== 200 || text !== "[accepted]") throw new Error(`The notification was refused: ${status} ${text}`);
      }
      await until("all notifications to be processed", async () => {
        const open = rows().where("status", "=", "received").where("tries", "=", 0);
        return (await open.executeTakeFirst()) === undefined ? true : null;
      });
    },
    stored: async () =>
      (await rows().orderBy("received_at").orderBy("id").execute()).map(
        ({ id, status }) => `${id.split(":")[1]} ${status}`,
      ),
    attention: () =>
      db
        .selectFrom("attention")
        .selectAll()
        .where("account_no", "=", merchant.tenant.accountNo)
        .orderBy("id")
        .execute(),
    ledger: async (id) =>
      (await merchant.list(`ledger_entries?charge_id=${id}`))
        .map(({ kind, amount, currency }) => `${kind} ${amount} ${currency}`)
        .toSorted(),
    disputes: (id) => merchant.list(`disputes?charge_id=${id}`),
  };
  return notifying;
}

/** Lets the pauses of notifications that wait for something pass, and processes them until none waits. */
export async function processUntilDone(service: TestService): Promise<void> {
  for (let i = 0; i < 15; i++) {
    service.moveClock(3_600_000);
    await processDueNotifications(service.context);
  }
}

/** For as long as a notified decline waits for the reply. The payment isn't given up before. */
export async function processForMinutes(service: TestService): Promise<void> {
  for (let i = 0; i < 16; i++) {
    service.moveClock(15_000);
    await processDueNotifications(service.context);
  }
}

/** The date of an item, on a day from 1 to 31. */
export function onDay(day: number): Pick<NotificationItem, "eventDate"> {
  return { eventDate: `2026-01-${String(day).padStart(2, "0")}T12:00:00+01:00` };
}

/** Sends each item once the one before is processed. */
export async function inOrder(shop: Notifying, ...items: NotificationItem[]): Promise<void> {
  for (const item of items) await shop.notify(item);
}

/** A charge whose capture has been reported as done. */
export async function captured(shop: Notifying) {
  const pending = await shop.pendingCapture();
  await shop.notify(itemAbout(pending.capture, pending.authorization, "CAPTURE"));
  return pending;
}

/** A charge with a refund that has been reported as done. */
export async function refunded(shop: Notifying, amount: number) {
  const { id, authorization } = await shop.charge();
  const refundId = String((await shop.merchant.refund(id, amount)).body["id"]);
  const refund = await shop.latest(id);
  await shop.notify(itemAbout(refund, authorization, "REFUND"));
  return { id, authorization, refund, refundId };
}

/** An item about a payment of `order`. */
export function itemOf(
  authorization: Pick<Row<"attempt">, "id" | "acquirer_id">,
  eventCode: string,
  more: Partial<NotificationItem> = {},
): NotificationItem {
  const original = authorization.acquirer_id ?? "UNKNOWN";
  const isPayment = eventCode === "AUTHORISATION";
  return {
    pspReference: isPayment ? original : `${eventCode.replaceAll("_", "")}OF${original}`,
    ...(isPayment ? {} : { originalReference: original }),
    merchantAccountCode: merchantAccount,
    merchantReference: authorization.id,
    amount: { value: order.amount, currency: order.currency.toUpperCase() },
    eventCode,
    success: "true",
    ...more,
  };
}

/** An item about a capture, cancellation, refund or reversal: its outcome, or its failure. */
export function itemAbout(
  operation: Row<"attempt">,
  authorization: Row<"attempt">,
  eventCode: string,
  more: Partial<NotificationItem> = {},
): NotificationItem {
  const isOutcome = ["CAPTURE", "CANCELLATION", "REFUND", "CANCEL_OR_REFUND"].includes(eventCode);
  return itemOf(authorization, eventCode, {
    pspReference: operation.acquirer_id ?? `PSPOF${operation.id.slice(-10).toUpperCase()}`,
    merchantReference: isOutcome ? operation.id : authorization.id,
    amount: { value: operation.amount, currency: order.currency.toUpperCase() },
    ...more,
  });
}
