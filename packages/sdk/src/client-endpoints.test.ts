/** Checks the method, path, key and body that each function sends. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeApi, secretKey, startPretendService } from "../test/fake-api.ts";
import { createClient, type Oriel } from "./client.ts";

let service: FakeApi;
let oriel: Oriel;

beforeEach(async () => {
  service = await startPretendService();
  oriel = createClient({ apiUrl: service.apiUrl, secretKey, maxRetries: 0 });
});

afterEach(async () => {
  await service.close();
});

test.each<[string, (client: Oriel) => Promise<unknown>, string, string]>([
  [
    "checkoutSessions.retrieve",
    (client) => client.checkoutSessions.retrieve("cs_1"),
    "GET",
    "/api/v1/checkout_sessions/cs_1",
  ],
  ["charges.retrieve", (client) => client.charges.retrieve("ch_1"), "GET", "/api/v1/charges/ch_1"],
  ["charges.list", (client) => client.charges.list(), "GET", "/api/v1/charges"],
  [
    "charges.list of a decision",
    (client) => client.charges.list({ decision_id: "dec_1", limit: 5, starting_after: "ch_1" }),
    "GET",
    "/api/v1/charges?decision_id=dec_1&limit=5&starting_after=ch_1",
  ],
  [
    "decisions.create",
    (client) => client.decisions.create({ payment_method_id: "pm_1", amount: 1, currency: "eur" }),
    "POST",
    "/api/v1/decisions",
  ],
  ["charges.capture", (client) => client.charges.capture("ch_1"), "POST", "/api/v1/charges/ch_1/capture"],
  ["charges.cancel", (client) => client.charges.cancel("ch_1"), "POST", "/api/v1/charges/ch_1/cancel"],
  [
    "checkoutSessions.replaceEmbedUrl",
    (client) => client.checkoutSessions.replaceEmbedUrl("cs_1"),
    "POST",
    "/api/v1/checkout_sessions/cs_1/embed_url",
  ],
  [
    "checkoutSessions.expire",
    (client) => client.checkoutSessions.expire("cs_1"),
    "POST",
    "/api/v1/checkout_sessions/cs_1/expire",
  ],
  [
    "checkoutSessions.cancel",
    (client) => client.checkoutSessions.cancel("cs_1"),
    "POST",
    "/api/v1/checkout_sessions/cs_1/cancel",
  ],
  [
    "refunds.create",
    (client) => client.refunds.create({ charge_id: "ch_1" }, { idempotencyKey: "complaint-1" }),
    "POST",
    "/api/v1/refunds",
  ],
  ["refunds.retrieve", (client) => client.refunds.retrieve("re_1"), "GET", "/api/v1/refunds/re_1"],
  ["refunds.list", (client) => client.refunds.list({ charge_id: "ch_1" }), "GET", "/api/v1/refunds?charge_id=ch_1"],
  ["disputes.retrieve", (client) => client.disputes.retrieve("dp_1"), "GET", "/api/v1/disputes/dp_1"],
  [
    "disputes.list",
    (client) => client.disputes.list({ charge_id: "ch_1", status: "lost" }),
    "GET",
    "/api/v1/disputes?charge_id=ch_1&status=lost",
  ],
  [
    "ledgerEntries.list",
    (client) => client.ledgerEntries.list({ charge_id: "ch_1" }),
    "GET",
    "/api/v1/ledger_entries?charge_id=ch_1",
  ],
  [
    "paymentMethods.retrieve",
    (client) => client.paymentMethods.retrieve("pm_1"),
    "GET",
    "/api/v1/payment_methods/pm_1",
  ],
  [
    "paymentMethods.update",
    (client) => client.paymentMethods.update("pm_1", { removable_by_customer: false }),
    "PATCH",
    "/api/v1/payment_methods/pm_1",
  ],
  [
    "paymentMethods.attach",
    (client) => client.paymentMethods.attach("pm_1", { customer_id: "cus_1" }),
    "POST",
    "/api/v1/payment_methods/pm_1/attach",
  ],
  ["customers.create", (client) => client.customers.create(), "POST", "/api/v1/customers"],
  ["customers.retrieve", (client) => client.customers.retrieve("cus_1"), "GET", "/api/v1/customers/cus_1"],
  [
    "customers.list",
    (client) => client.customers.list({ reference: "a&b", email: "ada+1@customer.example" }),
    "GET",
    "/api/v1/customers?reference=a%26b&email=ada%2B1%40customer.example",
  ],
  [
    "customers.update",
    (client) => client.customers.update("cus_1", { name: null }),
    "PATCH",
    "/api/v1/customers/cus_1",
  ],
  ["customers.del", (client) => client.customers.del("cus_1"), "DELETE", "/api/v1/customers/cus_1"],
  [
    "customers.listPaymentMethods",
    (client) => client.customers.listPaymentMethods("cus_1"),
    "GET",
    "/api/v1/customers/cus_1/payment_methods",
  ],
  [
    "paymentMethods.detach",
    (client) => client.paymentMethods.detach("pm_1"),
    "POST",
    "/api/v1/payment_methods/pm_1/detach",
  ],
  ["decisions.retrieve", (client) => client.decisions.retrieve("dec_1"), "GET", "/api/v1/decisions/dec_1"],
  ["events.retrieve", (client) => client.events.retrieve("evt_1"), "GET", "/api/v1/events/evt_1"],
  [
    "events.list",
    (client) => client.events.list({ type: "payment.succeeded", starting_after: "evt_1" }),
    "GET",
    "/api/v1/events?type=payment.succeeded&starting_after=evt_1",
  ],
  [
    "webhookEndpoints.create",
    (client) => client.webhookEndpoints.create({ url: "https://shop.example/hook" }),
    "POST",
    "/api/v1/webhook_endpoints",
  ],
  [
    "checkoutSessions.list",
    (client) => client.checkoutSessions.list({ limit: 2 }),
    "GET",
    "/api/v1/checkout_sessions?limit=2",
  ],
  [
    "checkoutSessions.update",
    (client) => client.checkoutSessions.update("cs_1", { amount: 5900, if_version: 1 }),
    "PATCH",
    "/api/v1/checkout_sessions/cs_1",
  ],
  [
    "webhookEndpoints.retrieve",
    (client) => client.webhookEndpoints.retrieve("we_1"),
    "GET",
    "/api/v1/webhook_endpoints/we_1",
  ],
  [
    "webhookEndpoints.list",
    (client) => client.webhookEndpoints.list({ limit: 1 }),
    "GET",
    "/api/v1/webhook_endpoints?limit=1",
  ],
  [
    "webhookEndpoints.update",
    (client) => client.webhookEndpoints.update("we_1", { status: "disabled" }),
    "PATCH",
    "/api/v1/webhook_endpoints/we_1",
  ],
  ["webhookEndpoints.del", (client) => client.webhookEndpoints.del("we_1"), "DELETE", "/api/v1/webhook_endpoints/we_1"],
  [
    "webhookEndpoints.rotateSecret",
    (client) => client.webhookEndpoints.rotateSecret("we_1"),
    "POST",
    "/api/v1/webhook_endpoints/we_1/rotate_secret",
  ],
  [
    "webhookEndpoints.ping",
    (client) => client.webhookEndpoints.ping("we_1"),
    "POST",
    "/api/v1/webhook_endpoints/we_1/ping",
  ],
  [
    "webhookEndpoints.listDeliveries",
    (client) => client.webhookEndpoints.listDeliveries("we_1", { status: "failed", event_id: "evt_1" }),
    "GET",
    "/api/v1/webhook_endpoints/we_1/deliveries?status=failed&event_id=evt_1",
  ],
  [
    "webhookEndpoints.redeliver",
    (client) => client.webhookEndpoints.redeliver("we_1", { from: 1 }),
    "POST",
    "/api/v1/webhook_endpoints/we_1/redeliver",
  ],
  ["events.redeliver", (client) => client.events.redeliver("evt_1"), "POST", "/api/v1/events/evt_1/redeliver"],
  [
    "events.walk",
    (client) => client.events.walk({ after: "start", type: "ping", limit: 5 }),
    "GET",
    "/api/v1/events?after=start&type=ping&limit=5",
  ],
])("%s sends the right request", async (_name, call, method, url) => {
  await call(oriel);
  expect(service.seen).toHaveLength(1);
  expect(service.seen[0]).toMatchObject({ method, url });
  expect(service.seen[0]?.headers.authorization).toBe(`Bearer ${secretKey}`);
  expect("idempotency-key" in (service.seen[0]?.headers ?? {})).toBe(method === "POST");
});

test("sends an empty object if there are no params, and the amount of a capture", async () => {
  await oriel.charges.cancel("ch_1");
  await oriel.charges.capture("ch_1");
  await oriel.charges.capture("ch_1", { amount: 3000 }, { idempotencyKey: "capture-5" });
  expect(service.seen.map(({ body }) => body)).toEqual(["{}", "{}", '{"amount":3000}']);
  expect(service.seen[2]?.headers["idempotency-key"]).toBe("capture-5");
});

test("sends a refund with the given key, and refuses to send one without a key", async () => {
  await oriel.refunds.create({ charge_id: "ch_1" }, { idempotencyKey: "complaint-1" });
  expect(service.seen.map(({ headers }) => headers["idempotency-key"])).toEqual(["complaint-1"]);
  for (const options of [undefined, {}, { maxRetries: 0 }]) {
    const refund = oriel.refunds.create as (params: object, options?: object) => Promise<unknown>;
    await expect(refund({ charge_id: "ch_1" }, options)).rejects.toThrow(
      new TypeError(
        "Oriel: refunds.create requires an idempotencyKey. Use a new key for each refund, and the same key to retry a refund.",
      ),
    );
  }
  expect(service.seen).toHaveLength(1);
});

test("sends changes and redeliveries with a body, and deletions without one", async () => {
  await oriel.webhookEndpoints.update("we_1", { enabled_events: null, description: "the shop" });
  await oriel.webhookEndpoints.rotateSecret("we_1", { overlap: "now" }, { idempotencyKey: "rotate-1" });
  await oriel.webhookEndpoints.redeliver("we_1", { from: 1, to: 2, only_failed: false }, { idempotencyKey: "again-1" });
  await oriel.events.redeliver("evt_1", { webhook_endpoint_id: "we_1" });
  await oriel.webhookEndpoints.ping("we_1", { idempotencyKey: "ping-1" });
  await oriel.webhookEndpoints.del("we_1");
  expect(service.seen.map(({ body }) => body)).toEqual([
    '{"enabled_events":null,"description":"the shop"}',
    '{"overlap":"now"}',
    '{"from":1,"to":2,"only_failed":false}',
    '{"webhook_endpoint_id":"we_1"}',
    "{}",
    "",
  ]);
  expect(service.seen.map(({ headers }) => headers["content-type"])).toEqual([
    ...Array(5).fill("application/json"),
    undefined,
  ]);
  const keys = service.seen.map(({ headers }) => headers["idempotency-key"]);
  expect(keys).toEqual([undefined, "rotate-1", "again-1", expect.any(String), "ping-1", undefined]);
});
