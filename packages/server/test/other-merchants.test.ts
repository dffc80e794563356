/**
 * Tests isolation between merchants: to another merchant, this one's objects look like objects that don't exist, on
 * every route and in every part of a request.
 */
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { recordDisputeStep } from "../src/payments/disputes/record-dispute.ts";
import { cardNumbers } from "./setup/customer.ts";
import { expectError, invalid, missing } from "./setup/expect-error.ts";
import { newMerchant, order } from "./setup/merchant.ts";
import { startTestService, type Method } from "./setup/test-service.ts";

const service = await openForTests(startTestService());
const owner = await newMerchant(service);
const stranger = await newMerchant(service);
const ids = await everyKindOfObject();
const { body } = await service.call("GET", "/api/v1/openapi.json");
/** The names in the OpenAPI document. */
const routes = Object.entries(body["paths"] ?? {}).flatMap(
  // The contract's keys are names of HTTP methods.
  ([path, methods]) => Object.keys(methods).map((method) => ({ method: method.toUpperCase() as Method, path })),
);

async function everyKindOfObject() {
  const checkout = await owner.checkout({ save_payment_method: true });
  await checkout.pay(cardNumbers.approved);
  const charge = await owner.chargeOf(checkout);
  const refund = await owner.refund(String(charge["id"]), 100);
  const endpoint = await owner.call("POST", "/api/v1/webhook_endpoints", { url: "https://shop.example/hooks" });
  // Stops deliveries to the endpoint, whose host doesn't exist.
  await service.context.db.updateTable("webhook_endpoint").set({ status: "disabled" }).execute();
  await openDispute(String(charge["id"]));
  const customer = await owner.call("POST", "/api/v1/customers", { reference: "user-1" });
  const [dispute] = await owner.list("disputes");
  const [event] = await owner.events();
  return {
    session: checkout.sessionId,
    endpoint: String(endpoint.body["id"]),
    decision: String(charge["decision_id"]),
    charge: String(charge["id"]),
    refund: String(refund.body["id"]),
    dispute: String(dispute?.["id"]),
    paymentMethod: String(charge["payment_method_id"]),
    customer: String(customer.body["id"]),
    event: String(event?.["id"]),
  };
}

async function openDispute(chargeId: string): Promise<void> {
  const { context } = service;
  const money = { amount: 4900, currency: "eur" };
  const subject = { acquirerId: "DISPUTE1", authorizationId: null, reference: chargeId, money };
  const news = { chargeId, step: "chargeback", subject, unsigned: null } as const;
  await context.db.transaction().execute((tx) => recordDisputeStep(context, tx, owner.tenant, news));
}

function bodyFor(method: Method, path: string): object | undefined {
  if (method === "GET" || method === "DELETE") return undefined;
  if (path.endsWith("/payment_methods/{id}/attach")) return { customer_id: ids.customer };
  return path.endsWith("/webhook_endpoints/{id}/redeliver") ? { from: 0 } : {};
}

describe("another merchant", () => {
  it("gets none of this merchant's events from the feed and can't start the feed at one", async () => {
    expect((await owner.readFeed(1)).map(({ id }) => id)).toContain(ids.event);
    expect(await stranger.list("events?after=start")).toEqual([]);
    const from = await stranger.call("GET", `/api/v1/events?after=${ids.event}`);
    expectError(from, invalid("resource_missing", "after"));
    const { cursor } = await owner.read("events?after=start&limit=1");
    const response = await stranger.call("GET", `/api/v1/events?after=${cursor}`);
    expectError(response, invalid("parameter_invalid", "after"));
    expect(response.text).not.toContain(ids.event);
  });

  it("gets empty lists, and an error for a filter or cursor of this merchant", async () => {
    const ledger = "/api/v1/ledger_entries"; // only with a charge's ID
    const lists = routes.filter(({ method, path }) => method === "GET" && !path.includes("{id}") && path !== ledger);
    expect(lists.length).toBeGreaterThanOrEqual(5);
    for (const { path } of lists) {
      expect((await stranger.call("GET", path)).body).toEqual({ object: "list", data: [], has_more: false });
      expect((await owner.call("GET", path)).body["data"]).not.toEqual([]);
      for (const id of Object.values(ids)) {
        const response = await stranger.call("GET", `${path}?ending_before=${id}`);
        expect(response.status).toBe(400);
        expect(response.body).toMatchObject({ error: { param: "ending_before" } });
      }
    }
    for (const [list, filter, id] of [
      ["charges", "session_id", ids.session],
      ["charges", "decision_id", ids.decision],
      ["refunds", "charge_id", ids.charge],
      ["disputes", "charge_id", ids.charge],
    ] as const) {
      const response = await stranger.call("GET", `/api/v1/${list}?${filter}=${id}`);
      expectError(response, invalid("resource_missing", filter));
      expect(await owner.list(`${list}?${filter}=${id}`)).toHaveLength(1);
    }
    const entries = await stranger.call("GET", `${ledger}?charge_id=${ids.charge}`);
    expectError(entries, invalid("resource_missing", "charge_id"));
    expect(await owner.list(`ledger_entries?charge_id=${ids.charge}`)).toHaveLength(3);
  });

  it("can't use this merchant's objects in a request body", async () => {
    const decision = await owner.decide("pm_card_visa");
    const charge = { ...order, payment_method_id: "pm_card_visa", decision_id: decision["id"] };
    const refund = { charge_id: (await owner.charge("pm_card_visa")).body["id"], amount: 1 };
    const saved = await owner.checkout({ mode: "setup" });
    await saved.pay(cardNumbers.approved);
    const payment_method_id = (await saved.session())["payment_method_id"];
    for (const [path, body, param] of [
      ["/api/v1/charges", charge, "decision_id"],
      ["/api/v1/refunds", refund, "charge_id"],
      ["/api/v1/decisions", { ...order, payment_method_id }, "payment_method_id"],
    ] as const) {
      expectError(await stranger.call("POST", path, body), invalid("resource_missing", param));
      expect((await owner.call("POST", path, body)).status).toBe(200);
    }
    await stranger.charge("pm_card_visa");
    const [event] = await stranger.events();
    const endpoint = await owner.call("POST", "/api/v1/webhook_endpoints", { url: "https://shop.example/hooks" });
    const redelivery = { webhook_endpoint_id: endpoint.body["id"] };
    const response = await stranger.call("POST", `/api/v1/events/${event?.["id"]}/redeliver`, redelivery);
    expectError(response, invalid("resource_missing", "webhook_endpoint_id"));
  });

  it("can't see or change this merchant's objects on any route with an ID", async () => {
    const last = ({ method }: { method: Method }) => (method === "DELETE" ? 1 : 0);
    const byId = routes.filter(({ path }) => path.includes("{id}")).sort((a, b) => last(a) - last(b));
    const objects = byId.filter(({ method, path }) => method === "GET" && path.endsWith("{id}"));
    expect(objects).toHaveLength(Object.keys(ids).length);
    const others = byId.filter((route) => !objects.includes(route));
    expect(others.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      "DELETE /api/v1/customers/{id}",
      "DELETE /api/v1/webhook_endpoints/{id}",
      "GET /api/v1/customers/{id}/payment_methods",
      "GET /api/v1/webhook_endpoints/{id}/deliveries",
      "PATCH /api/v1/checkout_sessions/{id}",
      "PATCH /api/v1/customers/{id}",
      "PATCH /api/v1/payment_methods/{id}",
      "PATCH /api/v1/webhook_endpoints/{id}",
      "POST /api/v1/charges/{id}/cancel",
      "POST /api/v1/charges/{id}/capture",
      "POST /api/v1/checkout_sessions/{id}/cancel",
      "POST /api/v1/checkout_sessions/{id}/embed_url",
      "POST /api/v1/checkout_sessions/{id}/expire",
      "POST /api/v1/events/{id}/redeliver",
      "POST /api/v1/payment_methods/{id}/attach",
      "POST /api/v1/payment_methods/{id}/detach",
      "POST /api/v1/webhook_endpoints/{id}/ping",
      "POST /api/v1/webhook_endpoints/{id}/redeliver",
      "POST /api/v1/webhook_endpoints/{id}/rotate_secret",
    ]);
    for (const { method, path } of byId) {
      for (const id of Object.values(ids)) {
        expectError(await stranger.call(method, path.replace("{id}", id), bodyFor(method, path)), missing);
      }
    }
    expect(await owner.read(`payment_methods/${ids.paymentMethod}`)).toMatchObject({ reusable: true });

    // Control: for its own merchant, each route finds the object.
    for (const { method, path } of byId) {
      let found = 0;
      for (const id of Object.values(ids)) {
        const own = await owner.call(method, path.replace("{id}", id), bodyFor(method, path));
        if (own.status === 404) expectError(own, missing);
        else found++;
      }
      expect({ method, path, found }).toEqual({ method, path, found: 1 });
    }
  });
});
