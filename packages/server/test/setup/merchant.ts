/**
 * A separate merchant, so that lists and events contain only what one test created, with its API calls and its most
 * common operations.
 */
import type { Tenant } from "../../src/platform/tenant.ts";
import { openCheckout, type Checkout } from "./customer.ts";
import type { ApiResponse, Json, Method, TestService } from "./test-service.ts";
import { until } from "./until.ts";

export const order = { amount: 4900, currency: "eur" };

export interface Merchant {
  tenant: Tenant;
  accountId: string;
  secretKey: string;
  call(method: Method, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse>;
  /** A session for `order`, with its page opened by a customer. */
  checkout(more?: object): Promise<Checkout>;
  /** A decision for a charge of `order`. */
  decide(paymentMethodId: string, more?: object): Promise<Json>;
  /** A charge of `order` with its own decision. */
  charge(paymentMethodId: string, more?: object, key?: string): Promise<ApiResponse>;
  capture(chargeId: string, amount?: number, key?: string): Promise<ApiResponse>;
  cancel(chargeId: string, key?: string): Promise<ApiResponse>;
  refund(chargeId: string, amount?: number, key?: string): Promise<ApiResponse>;
  /** One object, by a path under `/api/v1`. */
  read(path: string): Promise<Json>;
  /** The data of a list. */
  list(path: string): Promise<Json[]>;
  /** The events, oldest first. With an ID, only those about that object. */
  events(objectId?: string): Promise<Json[]>;
  /** Reads the event feed from the start, once it has at least this many events. */
  readFeed(least: number, more?: string): Promise<Json[]>;
  /** The session's only charge that hasn't failed. */
  chargeOf(checkout: Checkout): Promise<Json>;
}

export async function newMerchant(service: TestService, { livemode = false } = {}): Promise<Merchant> {
  const { tenant, accountId, secretKey } = await service.addTenant(livemode);
  const call: Merchant["call"] = (method, path, body, headers) =>
    service.call(method, path, body, { authorization: `Bearer ${secretKey}`, ...headers });
  const post = (path: string, body: unknown, key: string | undefined) =>
    call("POST", `/api/v1/${path}`, body, key === undefined ? {} : { "idempotency-key": key });
  const withAmount = (amount: number | undefined) => (amount === undefined ? {} : { amount });

  const merchant: Merchant = {
    tenant,
    accountId,
    secretKey,
    call,
    checkout: (more) => openCheckout({ call, frame: service.frame }, more),
    decide: async (payment_method_id, more = {}) =>
      (await post("decisions", { ...order, payment_method_id, ...more }, undefined)).body,
    async charge(payment_method_id, more = {}, key) {
      const { id: decision_id } = await merchant.decide(payment_method_id);
      return await post("charges", { ...order, payment_method_id, decision_id, ...more }, key);
    },
    capture: (id, amount, key) => post(`charges/${id}/capture`, withAmount(amount), key),
    cancel: (id, key) => post(`charges/${id}/cancel`, {}, key),
    refund: (charge_id, amount, key) => post("refunds", { charge_id, ...withAmount(amount) }, key),
    read: async (path) => (await call("GET", `/api/v1/${path}`)).body,
    list: async (path) => (await merchant.read(path))["data"] as unknown as Json[], // a list's data is an array
    async events(objectId) {
      const events = (await merchant.list("events?limit=100")).reverse();
      return objectId === undefined
        ? events
        : events.filter(({ data }) => String(data?.["object"]?.["id"]) === objectId);
    },
    readFeed: (least, more = "") =>
      until(`${least} events in the feed`, async () => {
        const events = await merchant.list(`events?after=start${more}`);
        return events.length < least ? null : events;
      }),
    async chargeOf({ sessionId }) {
      const charges = await merchant.list(`charges?session_id=${sessionId}`);
      const [charge, ...more] = charges.filter(({ status }) => String(status) !== "failed");
      if (charge === undefined || more.length > 0)
        throw new Error(`Expected exactly one charge in the session: ${JSON.stringify(charges)}`);
      return charge;
    },
  };
  return merchant;
}

/** For each event: its type, its number in the object's sequence, and the object's status at that time. */
export function summarize(events: Json[]): string[] {
  return events.map(({ type, object_sequence, data }) => `${type} ${object_sequence} ${data?.["object"]?.["status"]}`);
}
