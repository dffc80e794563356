/**
 * A bank with the simulator of Adyen, and accounts of tests that are connected to it through the real code.
 * Notifications go through a relay that passes them on to the acquirer account of their payment, so that tests can hold
 * them back.
 *
 * The bank is also a sandbox bank: start the service with its `bankUrl`, so that the helpers for challenges find it.
 *
 * @example
 * const adyen = await startAdyen();
 * const service = await startTestService({ bankUrl: adyen.bankUrl });
 * const merchant = await newMerchant(service);
 * await adyen.connect(service, merchant.tenant);
 */
import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { vi } from "vitest";
import { createBank } from "@oriel/sandbox";
import { listenLocally } from "../../../../scripts/test/listen-locally.ts";
import { setAcquirerAccount, type EnteredAcquirer } from "../../src/merchants/accounts/acquirer-accounts.ts";
import { ownerTag, tenantOfId } from "../../src/platform/ids.ts";
import type { Tenant } from "../../src/platform/tenant.ts";
import { bankKeys, type TestService } from "./test-service.ts";

export const adyenApiKey = "the-key-that-adyen-gave-the-merchant";
export const adyenHmacKey = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056";

/** Sets what was right when it was tried out: a key that has expired since, or what only the real Adyen accepts. */
export async function withoutTryingOut<T>({ context }: TestService, work: () => Promise<T>): Promise<T> {
  const tryOut = vi.spyOn(context.vault, "tryOut").mockResolvedValue();
  return await work().finally(() => tryOut.mockRestore());
}

export interface AdyenBank {
  /** The bank's own URL, for the service and for the sandbox's routes. */
  bankUrl: string;
  /** Settings and credentials of the merchant account, as an operator enters them. */
  entered: EnteredAcquirer & { credentials: { api_key: string; hmac_keys: string[] } };
  /** Gives an account an acquirer account in the simulator, and sends it the notifications about its payments. */
  connect(service: TestService, tenant: Tenant): Promise<string>;
  /** What has moved for a payment, by our attempt's ID. Amounts are in Adyen's unit. */
  ledger(reference: string): Promise<AdyenLedger>;
  /** For what happens from now on. By default 5 ms each. */
  setDelays(delays: { outcomeMs?: number; notificationMs?: number; captureMs?: number }): Promise<void>;
  /** Lets a capture or refund fail after it was done. @param pspReference - its `acquirer_id` */
  fail(pspReference: string, eventCode: "CAPTURE_FAILED" | "REFUND_FAILED" | "REFUNDED_REVERSED"): Promise<void>;
  /** Adds an event of a dispute. Returns the dispute's `pspReference`. */
  dispute(event: AdyenDispute): Promise<string>;
  /** Adds faults of the bank: see `packages/sandbox/src/faults`. */
  addFaults(...rules: object[]): Promise<void>;
  clearFaults(): Promise<void>;
  /** While true, the simulator's notifications get a 503 and are sent again later. */
  holdsNotifications: boolean;
  /** While true, every notification arrives twice at the same time. */
  repeatsNotifications: boolean;
  /** The bodies of all notifications that were passed on, with repetitions. */
  notifications: object[];
  /** Sends a body to the endpoint of an acquirer account. Returns the status and text of the response. */
  notify(service: TestService, acquirerAccountId: string, body: unknown): Promise<{ status: number; text: string }>;
  close(): Promise<void>;
}

export interface AdyenLedger {
  payments: {
    pspReference: string;
    amount: { value: number; currency: string };
    modifications: { pspReference: string; [name: string]: unknown }[];
  }[];
  entries: { type: string; account: "reserved" | "merchant"; value: number; [name: string]: unknown }[];
  balances: Record<string, unknown>;
}

export interface AdyenDispute {
  paymentPspReference: string;
  eventCode: string;
  amount?: { value: number; currency: string };
  disputePspReference?: string;
  reasonCode?: string;
}

/** @param merchantAccount - Another one stands for another merchant at Adyen. */
export async function startAdyen({
  merchantAccount = "KilnAndClay",
  multiplePartialCaptures = false,
} = {}): Promise<AdyenBank> {
  /** The connected services and acquirer accounts by the owner's tag, which our references contain. */
  const connected = new Map<string, { service: TestService; id: string }>();

  const relay = createServer((request, response) => void passOn(request, response));
  const { url, close } = await listenLocally(relay);

  const bank = await createBank({
    origin: "http://bank.localhost:4100",
    ...bankKeys,
    adyen: {
      apiKey: adyenApiKey,
      merchantAccount,
      multiplePartialCaptures,
      webhook: { url, hmacKey: adyenHmacKey, retryDelaysMs: [50] },
      delays: { outcomeMs: 5, notificationMs: 5 },
    },
  });
  const bankUrl = await bank.listen({ port: 0, host: "127.0.0.1" });
  const control = async (path: string, body?: object) =>
    await send(`${bankUrl}/adyen/control${path}`, { "x-api-key": adyenApiKey }, body);
  const sandbox = { authorization: `Bearer ${bankKeys.apiKey}` };

  const adyen: AdyenBank = {
    bankUrl,
    entered: {
      connector: "adyen",
      settings: {
        merchant_account: merchantAccount,
        api_url: `${bankUrl}/adyen/v71`,
        multiple_partial_captures: multiplePartialCaptures,
      },
      credentials: { api_key: adyenApiKey, hmac_keys: [adyenHmacKey] },
    },
    async connect(service, tenant) {
      const { id } = await setAcquirerAccount(service.context, tenant, adyen.entered, "the test");
      connected.set(ownerTag(tenant), { service, id });
      return id;
    },
    // The simulator's own format.
    ledger: async (reference) => (await control(`/ledger/${reference}`)) as AdyenLedger,
    setDelays: async (delays) => void (await control("/delays", delays)),
    fail: async (pspReference, eventCode) => void (await control("/fail", { pspReference, eventCode })),
    async dispute(event) {
      const { disputePspReference } = (await control("/chargebacks", event)) as { disputePspReference: string };
      return disputePspReference;
    },
    addFaults: async (...rules) => void (await send(`${bankUrl}/sandbox/faults`, sandbox, { rules })),
    async clearFaults() {
      await fetch(`${bankUrl}/sandbox/faults`, { method: "DELETE", headers: sandbox });
    },
    holdsNotifications: false,
    repeatsNotifications: false,
    notifications: [],
    notify: async ({ config }, id, body) => await post(`${config.apiUrl}/acquirers/${id}/notifications`, body),
    async close() {
      await bank.close();
      await close();
    },
  };
  return adyen;

  async function passOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await json(request)) as NotificationBody; // the simulator's
    const owner = tenantOfId(body.notificationItems[0]?.NotificationRequestItem.merchantReference ?? "");
    const receiver = owner && connected.get(ownerTag(owner));
    if (adyen.holdsNotifications || receiver === undefined) return void response.writeHead(503).end();
    adyen.notifications.push(body);
    const notify = () => adyen.notify(receiver.service, receiver.id, body).catch(() => ({ status: 503, text: "" }));
    const [result] = await Promise.all([notify(), ...(adyen.repeatsNotifications ? [notify()] : [])]);
    response.writeHead(result.status).end(result.text);
  }
}

export interface NotificationBody {
  live: string;
  notificationItems: { NotificationRequestItem: NotificationItem }[];
}

/** The signed fields of an item, and any others. */
export interface NotificationItem {
  pspReference: string;
  originalReference?: string;
  merchantAccountCode: string;
  merchantReference: string | null;
  amount: { value: number; currency: string } | null;
  eventCode: string;
  success: "true" | "false";
  additionalData?: Record<string, string>;
  [name: string]: unknown;
}

/** A body with one item, which is signed as Adyen does it. */
export function signedNotification(item: NotificationItem, hmacKey = adyenHmacKey): NotificationBody {
  const { pspReference, originalReference = "", merchantAccountCode, merchantReference, amount } = item;
  const { eventCode, success } = item;
  const signed = [pspReference, originalReference, merchantAccountCode, merchantReference, amount?.value];
  const text = [...signed, amount?.currency, eventCode, success].join(":");
  const hmacSignature = createHmac("sha256", Buffer.from(hmacKey, "hex")).update(text).digest("base64");
  return {
    live: "false",
    notificationItems: [
      { NotificationRequestItem: { ...item, additionalData: { ...item.additionalData, hmacSignature } } },
    ],
  };
}

async function send(url: string, headers: Record<string, string>, body?: object): Promise<unknown> {
  const response = await fetch(url, {
    method: body === undefined ? "GET" : "POST",
    headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`The bank returned ${response.status}: ${await response.text()}`);
  return await response.json();
}

async function post(url: string, body: unknown): Promise<{ status: number; text: string }> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}
