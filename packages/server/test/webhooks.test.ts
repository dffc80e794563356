/**
 * Tests events and their delivery to the merchant: committed with the change they report, signed so that other
 * libraries can verify them, and retried until accepted.
 */
import { createHash } from "node:crypto";
import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
import { afterEach, describe, expect, it } from "vitest";
import type { ChargeWithSession } from "@oriel/protocol/api";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { deliveriesChannel } from "../src/payments/events/enqueue.ts";
import { recordEvent } from "../src/payments/events/record-event.ts";
import { noCause } from "../src/platform/cause.ts";
import { announceFrom } from "../src/platform/storage/commit-hooks.ts";
import { cardNumbers, openCheckout } from "./setup/customer.ts";
import { countRows } from "./setup/dump-database.ts";
import { expectError, invalid } from "./setup/expect-error.ts";
import { startTestService, type Json } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";
import { startWebhookReceiver, type ReceivedWebhook } from "./setup/webhook-receiver.ts";

const receiver = await openForTests(startWebhookReceiver());
const service = await openForTests(startTestService());
afterEach(() => {
  receiver.react = (_webhook, response) => void response.end("ok");
});

const path = "/api/v1/webhook_endpoints";
let merchants = 0;

/** Creates a separate merchant with one endpoint at a unique path. */
async function newMerchant(more: object = {}) {
  const { tenant, secretKey } = await service.addTenant(false);
  const call = (method: "GET" | "POST", to: string, body?: unknown, headers: Record<string, string> = {}) =>
    service.call(method, to, body, { authorization: `Bearer ${secretKey}`, ...headers });
  const to = `/hooks/${++merchants}`;
  const endpoint = (await call("POST", path, { url: `${receiver.url}${to}`, ...more })).body;
  return { tenant, call, to, endpointId: String(endpoint["id"]), secret: String(endpoint["secret"]) };
}
type Merchant = Awaited<ReturnType<typeof newMerchant>>;

async function charge({ call }: Pick<Merchant, "call">, payment_method_id = "pm_card_visa"): Promise<Json> {
  const order = { amount: 4900, currency: "eur", payment_method_id };
  const decision = await call("POST", "/api/v1/decisions", order);
  return (await call("POST", "/api/v1/charges", { ...order, decision_id: decision.body["id"], metadata: { o: "ü🎈" } }))
    .body;
}

/** Waits for that many attempts to be recorded for a merchant, and returns its deliveries. */
function deliveries({ endpointId }: Merchant, tries: number) {
  return until(`${tries} attempts to be recorded`, async () => {
    const rows = await service.context.db
      .selectFrom("delivery")
      .selectAll()
      .where("endpoint_id", "=", endpointId)
      .execute();
    return rows.reduce((sum, { tries: made }) => sum + made, 0) >= tries ? rows : null;
  });
}

describe("an endpoint that switches protocols", () => {
  it("fails and doesn't delay others", async () => {
    receiver.react = (_webhook, response) =>
      void response.socket?.end("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n");
    const merchant = await newMerchant();
    await charge(merchant);
    expect(await deliveries(merchant, 1)).toMatchObject([{ tries: 1, status: "pending", failure: "connection" }]);
  });
});

describe("a delivery", () => {
  it("is verified by the unmodified libraries of Stripe and of Standard Webhooks", async () => {
    const merchant = await newMerchant();
    const made = await charge(merchant);
    const [webhook] = await received(merchant, 1);
    const { body, headers } = webhook;
    const other = await newMerchant();

    const signature = headers["oriel-signature"] ?? "";
    const asStripe = (text: string, header: string, secret: string) =>
      Stripe.webhooks.constructEvent(text, header, secret) as unknown;
    expect(asStripe(body, signature, merchant.secret)).toMatchObject({
      type: "payment.succeeded",
      data: { object: { id: made["id"] } },
    });
    expect(() => asStripe(`${body} `, signature, merchant.secret)).toThrow("signatures");
    expect(() => asStripe(body, signature, other.secret)).toThrow("signatures");
    expect(() => asStripe(body, signature.replace(/t=\d+/, "t=1"), merchant.secret)).toThrow("signatures");

    const verify = (text: string, given: Record<string, string>, secret: string) =>
      new Webhook(secret).verify(text, given);
    expect(verify(body, headers, merchant.secret)).toEqual(JSON.parse(body));
    expect(() => verify(body.replace("4900", "1"), headers, merchant.secret)).toThrow("No matching signature");
    expect(() => verify(body, headers, other.secret)).toThrow("No matching signature");
    expect(() => verify(body, { ...headers, "webhook-id": "evt_other" }, merchant.secret)).toThrow(
      "No matching signature",
    );
  });

  it("contains the event as the API returns it for the same ID", async () => {
    const merchant = await newMerchant();
    const made = await charge(merchant);
    const [{ body, headers }] = await received(merchant, 1);
    const event = JSON.parse(body) as Json;
    expect(event).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-z]{33}$/),
      object: "event",
      type: "payment.succeeded",
      created: expect.any(Number),
      api_version: expect.any(String),
      livemode: false,
      object_sequence: 1,
      data: { object: { ...made, session: null } },
      request: { id: expect.stringMatching(/^req_/), idempotency_key: null },
    });
    expect(headers["webhook-id"]).toBe(event["id"]);
    expect(headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "user-agent": "Oriel-Webhooks/1",
    });
    expect(Math.abs(Number(headers["webhook-timestamp"]) - Date.now() / 1000)).toBeLessThan(5);
    expect(headers["oriel-signature"]).toMatch(new RegExp(`^t=${headers["webhook-timestamp"]},v1=[0-9a-f]{64}$`));

    expect((await merchant.call("GET", `/api/v1/events/${event["id"]}`)).body).toEqual(event);
    expect((await merchant.call("GET", "/api/v1/events")).body).toEqual({
      object: "list",
      data: [event],
      has_more: false,
    });
    expect((await merchant.call("GET", "/api/v1/events?type=payment_failed")).body["data"]).toEqual([]);
    expect(await deliveries(merchant, 1)).toMatchObject([
      { status: "succeeded", tries: 1, response_status: 200, failure: null },
    ]);
  });

  it("names the request and the idempotency key that caused it", async () => {
    const merchant = await newMerchant();
    const order = { amount: 100, currency: "jpy", payment_method_id: "pm_card_visa" };
    const decision = await merchant.call("POST", "/api/v1/decisions", order);
    const request = { ...order, decision_id: decision.body["id"] };
    const response = await merchant.call("POST", "/api/v1/charges", request, { "idempotency-key": "order-7" });
    const [{ body }] = await received(merchant, 1);
    expect(JSON.parse(body)).toMatchObject({
      request: { id: response.headers["request-id"], idempotency_key: "order-7" },
    });
  });

  it("is retried after a failure, with the same ID and bytes and a new time", async () => {
    const merchant = await newMerchant();
    receiver.react = (webhook, response) => {
      const isFirst = receiver.received.filter((known) => known.path === webhook.path).length === 1;
      response.writeHead(isFirst ? 500 : 204).end();
    };
    await charge(merchant);
    const [pending] = await deliveries(merchant, 1);
    expect(pending).toMatchObject({ status: "pending", response_status: 500, failure: "response_status" });
    const pause = Number(pending?.next_try_at) - Number(pending?.created_at);
    expect(pause).toBeGreaterThan(3_900); // five seconds, plus or minus a fifth
    expect(pause).toBeLessThan(9_000);
    expect(receiver.received.filter(({ path }) => path === merchant.to)).toHaveLength(1);
    service.moveClock(pause);
    announceFrom(service.context.db, deliveriesChannel); // otherwise it takes up to a second
    const [first, second] = await received(merchant, 2);
    expect(await deliveries(merchant, 2)).toMatchObject([
      { status: "succeeded", tries: 2, response_status: 204, failure: null },
    ]);
    expect(second?.body).toBe(first.body);
    expect(second?.headers["webhook-id"]).toBe(first.headers["webhook-id"]);
    expect(Number(second?.headers["webhook-timestamp"])).toBeGreaterThan(Number(first.headers["webhook-timestamp"]));
    expect(second?.headers["webhook-signature"]).not.toBe(first.headers["webhook-signature"]);
  });

  it.each([301, 302, 303, 307, 308])("fails when the response is %i, without following a redirect", async (status) => {
    const merchant = await newMerchant();
    const elsewhere = `${merchant.to}/elsewhere`;
    receiver.react = (_webhook, response) =>
      void response.writeHead(status, { location: `${receiver.url}${elsewhere}` }).end();
    await charge(merchant);
    expect(await deliveries(merchant, 1)).toMatchObject([{ status: "pending", tries: 1, response_status: status }]);
    expect(receiver.received.filter((webhook) => webhook.path === elsewhere)).toEqual([]);
  });

  it("fails when the connection is cut off, and succeeds with an endless response", async () => {
    const [cut, endless] = [await newMerchant(), await newMerchant()];
    receiver.react = (webhook, response) => {
      if (webhook.path === cut.to) return void response.destroy();
      response.writeHead(200);
      const pour = () => {
        while (!response.destroyed && response.write("x".repeat(16_384)));
      };
      response.on("drain", pour);
      pour();
    };
    await Promise.all([charge(cut), charge(endless)]);
    expect(await deliveries(cut, 1)).toMatchObject([
      { status: "pending", response_status: null, failure: "connection" },
    ]);
    expect(await deliveries(endless, 1)).toMatchObject([{ status: "succeeded", response_status: 200 }]);
  });

  it("isn't sent to an internal address, even if the endpoint's address was public when it was created", async () => {
    const merchant = await newMerchant();
    const url = `http://10.0.0.8:${new URL(receiver.url).port}/hooks`;
    await service.context.db
      .updateTable("webhook_endpoint")
      .set({ url })
      .where("id", "=", merchant.endpointId)
      .execute();
    await charge(merchant);
    expect(await deliveries(merchant, 1)).toMatchObject([
      { status: "pending", response_status: null, failure: "address_not_allowed" },
    ]);
  });

  async function received({ to }: Merchant, count: number): Promise<[ReceivedWebhook, ...ReceivedWebhook[]]> {
    const [first, ...more] = await receiver.at(to, count);
    if (first === undefined) throw new Error("Bug: no webhook arrived");
    return [first, ...more];
  }
});

describe("an endpoint", () => {
  it("shows its secret on creation and never again", async () => {
    const merchant = await newMerchant({ description: "The shop" });
    expect(merchant.secret).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/);
    const shown = await merchant.call("GET", `${path}/${merchant.endpointId}`);
    expect(shown.body).toEqual({
      id: merchant.endpointId,
      object: "webhook_endpoint",
      livemode: false,
      created: expect.any(Number),
      url: `${receiver.url}${merchant.to}`,
      enabled_events: null,
      description: "The shop",
      status: "enabled",
      disabled_reason: null,
      failing_since: null,
      previous_secret_expires_at: null,
    });
    expect((await merchant.call("GET", path)).body["data"]).toEqual([shown.body]);
    expect(service.responses.filter((response) => response.includes(merchant.secret))).toHaveLength(1);
    expect(service.log.join("")).not.toContain(merchant.secret.slice(6));
  });

  it("receives the events that it subscribed to, from its own account only, independently of other endpoints", async () => {
    const failures = await newMerchant({ enabled_events: ["payment_failed"] });
    const all = await failures.call("POST", path, { url: `${receiver.url}${failures.to}/all` });
    const off = await failures.call("POST", path, { url: `${receiver.url}${failures.to}/off` });
    await service.context.db
      .updateTable("webhook_endpoint")
      .set({ status: "disabled" })
      .where("id", "=", String(off.body["id"]))
      .execute();
    const stranger = await newMerchant();
    await charge(failures);
    await charge(failures, "pm_card_declined_generic");

    const both = await receiver.at(`${failures.to}/all`, 2);
    expect(both.map(({ body }) => String((JSON.parse(body) as Json)["type"])).sort()).toEqual([
      "payment.succeeded",
      "payment_failed",
    ]);
    const [failed, ...more] = await receiver.at(failures.to, 1);
    expect(more).toEqual([]);
    expect(JSON.parse(failed?.body ?? "")).toMatchObject({
      type: "payment_failed",
      data: { object: { status: "failed", failure: { decline_code: "generic_decline" } } },
    });
    new Webhook(String(all.body["secret"])).verify(both[0]?.body ?? "", both[0]?.headers ?? {});
    expect(
      receiver.received.filter((webhook) => webhook.path === stranger.to || webhook.path.endsWith("/off")),
    ).toEqual([]);
  });

  it("is refused if the account already has twenty", async () => {
    const merchant = await newMerchant();
    for (let i = 1; i < 20; i++)
      expect((await merchant.call("POST", path, { url: `https://shop.example/${i}` })).status).toBe(200);
    expectError(await merchant.call("POST", path, { url: "https://shop.example/20" }), invalid("parameter_invalid"));
  });
});

describe("an endpoint that never responds", () => {
  it("doesn't delay others: it uses only one endpoint's share of connections, and the others get everything", async () => {
    const merchant = await newMerchant();
    const stuck = `${merchant.to}/stuck`;
    await merchant.call("POST", path, { url: `${receiver.url}${stuck}` });
    receiver.react = (webhook, response) => {
      if (webhook.path !== stuck) response.end("ok");
    };
    for (let i = 0; i < 25; i++) await charge(merchant);
    expect(await receiver.at(merchant.to, 25)).toHaveLength(25);
    expect(await receiver.at(stuck, 10)).toHaveLength(10);
  });
});

describe("an event", () => {
  it("is committed with the change it reports and with its deliveries, or not at all", async () => {
    const merchant = await newMerchant();
    // The part of a charge that is checked.
    const object = { id: `ch_${createHash("sha1").update(merchant.to).digest("hex")}` } as ChargeWithSession;
    const record = (fail: boolean) =>
      service.context.db.transaction().execute(async (tx) => {
        await recordEvent(service.context, tx, merchant.tenant, { type: "payment_failed", object }, noCause);
        if (fail) throw new Error("rolled back");
      });
    receiver.react = (_webhook, response) => void response.writeHead(500).end();
    const before = await counts();
    const results = await Promise.allSettled(Array.from({ length: 12 }, (_, i) => record(i % 3 === 0)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(8);

    const events = await service.context.db
      .selectFrom("event")
      .select("object_sequence")
      .where("object_id", "=", object.id)
      .execute();
    expect(events.map(({ object_sequence }) => object_sequence).sort((a, b) => a - b)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8,
    ]);
    const after = await counts();
    expect(after.event - before.event).toBe(8);
    expect(after.delivery - before.delivery).toBe(8);
  });

  it("exists for every payment, with a delivery to each endpoint that subscribes to it", async () => {
    expect(await undelivered()).toEqual([]);
    const checkout = await openCheckout(service);
    await service.call("POST", path, { url: `${receiver.url}/hooks/first` });
    await checkout.pay(cardNumbers.declined);
    await checkout.pay(cardNumbers.approved);
    const [failed, paid] = await receiver.at("/hooks/first", 2);
    const types = [failed, paid].map((webhook) => String((JSON.parse(webhook?.body ?? "") as Json)["type"])).sort();
    expect(types).toEqual(["payment.succeeded", "payment_failed"]);
    expect(await undelivered()).toEqual([]);
  });

  /** Finds events without a delivery, although an enabled endpoint existed before them. */
  async function undelivered() {
    return await service.context.db
      .selectFrom("event")
      .innerJoin("webhook_endpoint", "webhook_endpoint.account_no", "event.account_no")
      .leftJoin("delivery", (join) =>
        join
          .onRef("delivery.account_no", "=", "event.account_no")
          .onRef("delivery.event_id", "=", "event.id")
          .onRef("delivery.endpoint_id", "=", "webhook_endpoint.id"),
      )
      .select(["event.id", "webhook_endpoint.id as endpoint_id"])
      .where("webhook_endpoint.status", "=", "enabled")
      .where("webhook_endpoint.enabled_events", "is", null)
      .whereRef("webhook_endpoint.created_at", "<", "event.created_at")
      .where("delivery.id", "is", null)
      .execute();
  }

  async function counts(): Promise<{ event: number; delivery: number }> {
    const rows = await countRows(service.context.db);
    return { event: rows["public.event"] ?? 0, delivery: rows["public.delivery"] ?? 0 };
  }
});
