/**
 * Tests the shop over HTTP. A small server plays the payment service's API, and webhooks are signed like the service's.
 * What counts is whether the order is paid.
 */
import { createHmac } from "node:crypto";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Fastify, { type FastifyInstance } from "fastify";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { CheckoutSession } from "@oriel/sdk";
import { temporaryDirectory } from "../../scripts/test/temporary-directory.ts";
import { readShopConfig, type ShopConfig } from "./shop-config.ts";
import { createShop } from "./shop.ts";

const secret = `whsec_${Buffer.from("thirty-two bytes make one secret").toString("base64")}`;
const checkoutOrigin = "http://pay.localhost:4000";
const shopOrigin = "http://shop.localhost:4242";

const notFound = { type: "invalid_request_error", code: "resource_missing", message: "Not found." };

let sessions: { body: Record<string, unknown>; idempotencyKey: unknown }[];
/** What the service says about any session. */
let session: Pick<CheckoutSession, "shipping_option" | "discounts" | "collected" | "update_request">;
/** What the shop has changed in sessions. */
let changes: unknown[];
/** The code of the error that the service returns for a change, if any. */
let refusal: string | null;
/** Whether the service responds with the session. */
let isReadable: boolean;
let api: FastifyInstance;
let shop: FastifyInstance;
let config: ShopConfig;

beforeEach(async () => {
  sessions = [];
  session = { shipping_option: "standard", discounts: [], collected: { promotion_code: null }, update_request: null };
  changes = [];
  refusal = null;
  isReadable = true;
  api = Fastify();
  api.post<{ Body: Record<string, unknown> }>("/api/v1/checkout_sessions", async (request) => {
    sessions.push({ body: request.body, idempotencyKey: request.headers["idempotency-key"] });
    const id = `cs_${sessions.length}`;
    return { session: { id, object: "checkout_session" }, embed_url: `${checkoutOrigin}/c/${id}#secret-of-${id}` };
  });
  api.get("/api/v1/checkout_sessions/:id", async (_request, reply) =>
    isReadable ? { object: "checkout_session", ...session } : reply.code(404).send({ error: notFound }),
  );
  api.patch<{ Params: { id: string }; Body: Record<string, unknown> }>(
    "/api/v1/checkout_sessions/:id",
    async (request, reply) => {
      changes.push({ id: request.params.id, ...request.body });
      const isAllowed = refusal === "session_changed_too_often" && "reject" in request.body;
      if (refusal === null || isAllowed) return { object: "checkout_session", ...session };
      return reply.code(400).send({ error: { ...notFound, code: refusal } });
    },
  );
  const apiUrl = await api.listen({ host: "127.0.0.1", port: 0 });
  config = {
    host: "127.0.0.1",
    port: 0,
    origin: shopOrigin,
    apiUrl,
    checkoutOrigin,
    secretKey: "oriel_sk_test_abc",
    webhookSecret: secret,
    dataDir: null,
  };
  shop = createShop(config, "silent");
});

afterEach(async () => {
  await shop.close();
  await api.close();
});

async function openOrder(way = "app"): Promise<{ order_id: string; embed_url: string }> {
  const response = await shop.inject({ method: "POST", url: "/orders", payload: { way } });
  return response.json();
}

async function orderView(id: string): Promise<unknown> {
  return (await shop.inject({ url: `/orders/${id}.json` })).json();
}

interface EventParts {
  id?: string;
  type?: string;
  orderId: string;
  sessionId?: string;
  amount?: number;
  currency?: string;
}

function eventBody({
  id = "evt_1",
  type = "payment.succeeded",
  orderId,
  sessionId = "cs_1",
  amount = 4900,
  currency = "eur",
}: EventParts) {
  const about = {
    id: sessionId,
    status: "complete",
    payment_status: "paid",
    attempts_left: 5,
    metadata: { order_id: orderId },
  };
  const charge = { id: "ch_1", object: "charge", amount, currency, session_id: sessionId, session: about };
  return JSON.stringify({
    id,
    object: "event",
    type,
    created: 1,
    livemode: false,
    object_sequence: 1,
    data: { object: type.startsWith("checkout_session.") ? about : charge },
  });
}

/** What the order page shows if the customer chose nothing. */
const receipt = { shipping: "Standard, 3 to 5 days · €0.00", discount: "", total: "€49.00" };

function signed(body: string, key = secret, seconds = Math.floor(Date.now() / 1000)): Record<string, string> {
  return {
    "content-type": "application/json",
    "oriel-signature": `t=${seconds},v1=${createHmac("sha256", key).update(`${seconds}.${body}`).digest("hex")}`,
    "webhook-id": "evt_1",
    "webhook-timestamp": String(seconds),
    "webhook-signature": new Webhook(key).sign("evt_1", new Date(seconds * 1000), body),
  };
}

const deliver = (body: string, headers = signed(body)) =>
  shop.inject({ method: "POST", url: "/webhooks/oriel", payload: body, headers });

test("an order creates one session with the shop's own price, origin and URLs", async () => {
  const order = await openOrder();
  expect(order).toEqual({
    order_id: expect.stringMatching(/^ord_[0-9a-f]{32}$/),
    embed_url: `${checkoutOrigin}/c/cs_1#secret-of-cs_1`,
  });
  expect(sessions).toEqual([
    {
      idempotencyKey: order.order_id,
      body: {
        amount: 4900,
        currency: "eur",
        line_items: [{ name: "The Oriel cup", amount: 4900, quantity: 1 }],
        shipping_options: [
          { id: "standard", name: "Standard, 3 to 5 days", amount: 0 },
          { id: "express", name: "Express, next day", amount: 990 },
        ],
        discounts: [],
        collect: { promotion_code: true },
        description: expect.stringContaining("Oriel cup"),
        allowed_origins: [shopOrigin],
        return_url: `${shopOrigin}/orders/${order.order_id}`,
        cancel_url: `${shopOrigin}/app/`,
        metadata: { order_id: order.order_id },
      },
    },
  ]);
  expect(await orderView(order.order_id)).toEqual({ id: order.order_id, status: "open", failed_payments: 0 });
});

test("a customer can't set the amount, and an unknown integration creates no session", async () => {
  await shop.inject({ method: "POST", url: "/orders", payload: { way: "app", amount: 1, currency: "jpy" } });
  expect(sessions[0]?.body).toMatchObject({ amount: 4900, currency: "eur" });
  for (const payload of [{ way: "phone" }, {}, { way: ["app"] }, { way: null }, []]) {
    expect((await shop.inject({ method: "POST", url: "/orders", payload })).statusCode).toBe(400);
  }
  expect(sessions).toHaveLength(1);
});

test("the redirect form responds with 303 to the payment page", async () => {
  const response = await shop.inject({
    method: "POST",
    url: "/orders",
    payload: "way=redirect",
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  expect(response.statusCode).toBe(303);
  expect(response.headers.location).toBe(`${checkoutOrigin}/c/cs_1#secret-of-cs_1`);
  expect(response.headers["cache-control"]).toBe("no-store");
});

test("the script page contains its session's URL and the loader, with a CSP that allows one more origin", async () => {
  const response = await shop.inject({ url: "/script" });
  expect(response.body).toContain(`data-oriel-embed-url="${checkoutOrigin}/c/cs_1#secret-of-cs_1"`);
  expect(response.body).toContain(`src="${checkoutOrigin}/embed/v1/oriel.js"`);
  expect(response.body).not.toMatch(/\{\{|style=|<style|onclick/);
  expect(response.headers["cache-control"]).toBe("no-store");
  expect(String(response.headers["content-security-policy"])).toBe(
    `default-src 'self'; script-src 'self' ${checkoutOrigin}; frame-src ${checkoutOrigin}; style-src 'self'; img-src 'self' data:; ` +
      `form-action 'self' ${checkoutOrigin}; base-uri 'none'; object-src 'none'; frame-ancestors 'none'`,
  );
});

test.each([
  "/",
  "/redirect",
  "/app",
  "/app/",
  "/app/checkout",
  "/app/thanks/ord_1",
  "/healthz",
  "/assets/shop.css",
  "/assets/oriel-cup.svg",
])("%s exists", async (url) => {
  expect((await shop.inject({ url })).statusCode).toBe(200);
  expect(sessions).toHaveLength(0);
});

test.each([
  "/orders/ord_none",
  "/orders/ord_none.json",
  "/assets/../server/shop.ts",
  "/assets/..%2fserver%2fshop.ts",
  "/nowhere",
])("%s doesn't exist", async (url) => {
  expect((await shop.inject({ url })).statusCode).toBe(404);
});

test("an unavailable payment service shows the customer a message and charges nothing", async () => {
  await api.close();
  const response = await shop.inject({ url: "/script" });
  expect(response.statusCode).toBe(502);
  expect(response.body).toContain("Nothing was charged");
  expect(response.body).not.toContain("oriel_sk");
});

test("a verified payment.succeeded marks its order as paid, and the order page says so", async () => {
  const { order_id } = await openOrder();
  expect((await shop.inject({ url: `/orders/${order_id}?session_id=cs_1` })).body).toContain('data-status="open"');
  const response = await deliver(eventBody({ orderId: order_id }));
  expect([response.statusCode, response.json()]).toEqual([200, { received: true, outcome: "applied" }]);
  expect(await orderView(order_id)).toEqual({ id: order_id, status: "paid", failed_payments: 0, receipt });
  expect((await shop.inject({ url: `/orders/${order_id}` })).body).toContain('data-status="paid"');
});

test("the signature is verified over the raw bytes, whatever the content type", async () => {
  const { order_id } = await openOrder();
  const body = eventBody({ orderId: order_id }).replace("{", "{ \n");
  expect((await deliver(body, { ...signed(body), "content-type": "application/octet-stream" })).statusCode).toBe(200);
  expect(await orderView(order_id)).toMatchObject({ status: "paid" });
});

test.each<[string, (body: string) => Record<string, string>, string]>([
  ["no signature", () => ({ "content-type": "application/json" }), "signature_missing"],
  ["another secret's", (body) => signed(body, `whsec_${Buffer.alloc(32, 7).toString("base64")}`), "signature_mismatch"],
  ["another body's", (body) => signed(body.replace("evt_1", "evt_2")), "signature_mismatch"],
  [
    "an old signature",
    (body) => signed(body, secret, Math.floor(Date.now() / 1000) - 301),
    "timestamp_out_of_tolerance",
  ],
  [
    "a signature from the future",
    (body) => signed(body, secret, Math.floor(Date.now() / 1000) + 320),
    "timestamp_out_of_tolerance",
  ],
  [
    "a valid signature next to an invalid one",
    (body) => ({ ...signed(body), "webhook-id": "evt_2" }),
    "signature_mismatch",
  ],
])("a webhook with %s gets 400 and marks nothing as paid", async (_what, headers, code) => {
  const { order_id } = await openOrder();
  const body = eventBody({ orderId: order_id });
  const response = await deliver(body, headers(body));
  expect([response.statusCode, response.json()]).toEqual([400, { error: code }]);
  expect(await orderView(order_id)).toMatchObject({ status: "open" });
});

test("an empty webhook gets 400", async () => {
  expect((await shop.inject({ method: "POST", url: "/webhooks/oriel" })).statusCode).toBe(400);
});

test("a repeated delivery is counted once", async () => {
  const { order_id } = await openOrder();
  const failed = eventBody({ id: "evt_0", type: "payment_failed", orderId: order_id });
  await deliver(failed);
  expect((await deliver(failed)).json()).toEqual({ received: true, outcome: "replayed" });
  expect(await orderView(order_id)).toEqual({ id: order_id, status: "open", failed_payments: 1 });
});

test("a failed payment is counted, and the order stays open for the next card", async () => {
  const { order_id } = await openOrder();
  await deliver(eventBody({ id: "evt_0", type: "payment_failed", orderId: order_id }));
  expect(await orderView(order_id)).toEqual({ id: order_id, status: "open", failed_payments: 1 });
  await deliver(eventBody({ orderId: order_id }));
  expect(await orderView(order_id)).toEqual({ id: order_id, status: "paid", failed_payments: 1, receipt });
});

test("out-of-order events have the same result: a late failure doesn't undo a payment", async () => {
  const { order_id } = await openOrder();
  await deliver(eventBody({ orderId: order_id }));
  await deliver(eventBody({ id: "evt_0", type: "payment_failed", orderId: order_id }));
  expect(await orderView(order_id)).toEqual({ id: order_id, status: "paid", failed_payments: 1, receipt });
});

test.each<[string, Omit<EventParts, "orderId">, string]>([
  ["another amount", { amount: 1 }, "mismatch"],
  ["another currency", { currency: "jpy" }, "mismatch"],
  ["another session", { sessionId: "cs_9" }, "mismatch"],
  ["another event type", { type: "checkout_session.expired" }, "ignored"],
  ["a future event type", { type: "refund.succeeded" }, "ignored"],
])("a genuine webhook about %s marks nothing as paid", async (_what, parts, outcome) => {
  const { order_id } = await openOrder();
  const response = await deliver(eventBody({ ...parts, orderId: order_id }));
  expect([response.statusCode, response.json()]).toEqual([200, { received: true, outcome }]);
  expect(await orderView(order_id)).toMatchObject({ status: "open" });
});

test.each(["ord_unknown", "", "__proto__"])(
  "a genuine webhook about someone else's order (%j) is accepted and ignored",
  async (orderId) => {
    const response = await deliver(eventBody({ orderId }));
    expect([response.statusCode, response.json()]).toEqual([200, { received: true, outcome: "unknown_order" }]);
  },
);

test("a genuine webhook about a charge without a session is accepted and ignored", async () => {
  const body = JSON.stringify({
    id: "evt_1",
    object: "event",
    type: "payment.succeeded",
    data: { object: { id: "ch_1", session: null } },
  });
  expect((await deliver(body)).json()).toEqual({ received: true, outcome: "unknown_order" });
});

test.each<[string, Partial<typeof session>, number, string]>([
  ["express shipping", { shipping_option: "express" }, 5890, "applied"],
  ["express shipping at the price of standard shipping", { shipping_option: "express" }, 4900, "mismatch"],
  ["shipping that the shop doesn't offer", { shipping_option: "drone" }, 4900, "mismatch"],
  ["a voucher", { discounts: [{ name: "KILN5", amount: 500 }] }, 4400, "applied"],
  ["a voucher, at the full price", { discounts: [{ name: "KILN5", amount: 500 }] }, 4900, "mismatch"],
  ["a voucher that takes more off than in the shop", { discounts: [{ name: "KILN5", amount: 4899 }] }, 1, "mismatch"],
  ["a discount that the shop doesn't give", { discounts: [{ name: "FRIEND", amount: 4899 }] }, 1, "mismatch"],
])("an order with %s is paid only with the amount that the shop charges", async (_what, chosen, amount, outcome) => {
  const { order_id } = await openOrder();
  Object.assign(session, chosen);
  expect((await deliver(eventBody({ orderId: order_id, amount }))).json()).toEqual({ received: true, outcome });
  expect(await orderView(order_id)).toMatchObject({ status: outcome === "applied" ? "paid" : "open" });
});

test("the receipt lists the shipping and the voucher, and the order page shows it", async () => {
  const { order_id } = await openOrder();
  Object.assign(session, { shipping_option: "express", discounts: [{ name: "KILN5", amount: 500 }] });
  await deliver(eventBody({ orderId: order_id, amount: 5390 }));
  const texts = { shipping: "Express, next day · €9.90", discount: "KILN5 · -€5.00", total: "€53.90" };
  expect(await orderView(order_id)).toMatchObject({ receipt: texts });
  const { body } = await shop.inject({ url: `/orders/${order_id}` });
  for (const text of Object.values(texts)) expect(body).toContain(`>${text}</dd>`);
});

test("a complete session places the order if it's free in the shop", async () => {
  const { order_id } = await openOrder();
  const completed = eventBody({ type: "checkout_session.completed", orderId: order_id });
  expect((await deliver(completed)).json()).toEqual({ received: true, outcome: "mismatch" });
  expect(await orderView(order_id)).toMatchObject({ status: "open" });
  Object.assign(session, { shipping_option: "express", discounts: [{ name: "FREECUP", amount: 4900 }] });
  expect((await deliver(completed)).json()).toEqual({ received: true, outcome: "applied" });
  expect(await orderView(order_id)).toMatchObject({
    status: "placed",
    receipt: { shipping: "Express, next day · €0.00", discount: "FREECUP · -€49.00", total: "€0.00" },
  });
});

test("a payment whose session can't be read is refused, and pays the order when the event is sent again", async () => {
  const { order_id } = await openOrder();
  isReadable = false;
  expect((await deliver(eventBody({ orderId: order_id }))).statusCode).toBe(502);
  expect(await orderView(order_id)).toMatchObject({ status: "open" });
  isReadable = true;
  expect((await deliver(eventBody({ orderId: order_id }))).json()).toMatchObject({ outcome: "applied" });
});

// --- promotion codes

const enterCode = (code: string) =>
  Object.assign(session, {
    collected: { promotion_code: code },
    update_request: { kind: "promotion_code", status: "pending", reason: null, requested_at: 1 },
  });

const replies: Record<string, (orderId: string) => Promise<{ statusCode: number }>> = {
  webhook: (orderId) => deliver(eventBody({ type: "checkout_session.update_requested", orderId })),
  page: (orderId) => shop.inject({ method: "POST", url: `/orders/${orderId}/code` }),
};

describe.each(Object.entries(replies))("when the %s reports a promotion code", (_who, report) => {
  test.each<[string, string, object]>([
    ["a voucher", "kiln5", { discounts: [{ name: "KILN5", amount: 500 }] }],
    ["an unknown code", "KILN6", { reject: { field: "promotion_code", reason: "invalid" } }],
    ["an expired voucher", "SPRING", { reject: { field: "promotion_code", reason: "expired" } }],
  ])("the shop replies to %s", async (_what, code, reply) => {
    const { order_id } = await openOrder();
    enterCode(code);
    expect((await report(order_id)).statusCode).toBeLessThan(300);
    expect(changes).toEqual([expect.objectContaining({ id: "cs_1", ...reply, if_promotion_code: code })]);
  });

  test("a code that was already decided changes nothing", async () => {
    const { order_id } = await openOrder();
    enterCode("KILN5");
    Object.assign(session, { update_request: { ...session.update_request, status: "accepted" } });
    expect((await report(order_id)).statusCode).toBeLessThan(300);
    expect(changes).toEqual([]);
  });

  test.each([
    ["session_closed", true],
    ["promotion_code_mismatch", true],
    ["session_payment_in_progress", false],
  ])("the service's refusal %s is final: %s", async (code, isFinal) => {
    const { order_id } = await openOrder();
    enterCode("KILN5");
    refusal = code;
    expect((await report(order_id)).statusCode < 300).toBe(isFinal);
  });

  test("a code is rejected if the amount can't be changed again", async () => {
    const { order_id } = await openOrder();
    enterCode("KILN5");
    refusal = "session_changed_too_often";
    expect((await report(order_id)).statusCode).toBeLessThan(300);
    const reject = { field: "promotion_code", reason: "not_applicable" };
    expect(changes.slice(1)).toEqual([{ id: "cs_1", reject, if_promotion_code: "KILN5" }]);
  });

  test("an order that the shop doesn't have changes nothing", async () => {
    enterCode("KILN5");
    await report("ord_unknown");
    expect(changes).toEqual([]);
  });
});

test("a promotion code in someone else's session changes nothing", async () => {
  const { order_id } = await openOrder();
  enterCode("KILN5");
  const body = eventBody({ type: "checkout_session.update_requested", orderId: order_id, sessionId: "cs_9" });
  expect((await deliver(body)).json()).toEqual({ received: true, outcome: "mismatch" });
  expect(changes).toEqual([]);
});

// --- storage and settings

test("orders in a folder survive a restart, even if the last line was cut short", async () => {
  const dataDir = temporaryDirectory(onTestFinished);
  await shop.close();
  shop = createShop({ ...config, dataDir }, "silent");
  const { order_id } = await openOrder();
  await deliver(eventBody({ orderId: order_id }));
  await shop.close();
  appendFileSync(join(dataDir, "orders.jsonl"), '{"id":"ord_half');
  shop = createShop({ ...config, dataDir }, "silent");
  expect(await orderView(order_id)).toMatchObject({ status: "paid" });
  expect((await deliver(eventBody({ orderId: order_id }))).json()).toMatchObject({ outcome: "replayed" });
  const next = await openOrder();
  await shop.close();
  shop = createShop({ ...config, dataDir }, "silent");
  expect(await orderView(next.order_id)).toMatchObject({ status: "open" });
});

test("settings come from the environment or the file, and an error names a missing one", () => {
  const dir = temporaryDirectory(onTestFinished);
  const file = join(dir, "demo.env");
  writeFileSync(
    file,
    `# written once\nORIEL_API_URL=http://127.0.0.1:4000\nORIEL_CHECKOUT_ORIGIN=${checkoutOrigin}\n\nORIEL_SECRET_KEY=oriel_sk_test_a=b\nSHOP_WEBHOOK_SECRET=${secret}\n`,
  );
  expect(readShopConfig({ ORIEL_DEMO_ENV: file, SHOP_PORT: "5000" })).toEqual({
    host: "127.0.0.1",
    port: 5000,
    origin: "http://shop.localhost:5000",
    apiUrl: "http://127.0.0.1:4000",
    checkoutOrigin,
    secretKey: "oriel_sk_test_a=b",
    webhookSecret: secret,
    dataDir: null,
  });
  expect(readShopConfig({ ORIEL_DEMO_ENV: file, ORIEL_API_URL: "http://127.0.0.1:9" }).apiUrl).toBe(
    "http://127.0.0.1:9",
  );
  expect(() => readShopConfig({ ORIEL_DEMO_ENV: file, SHOP_ORIGIN: "shop" })).toThrow("SHOP_ORIGIN must be an origin");
  expect(() => readShopConfig({})).toThrow("ORIEL_API_URL is not set");
});
