/**
 * Tests when deliveries are attempted, and what happens to endpoints that don't accept them. The clock only moves when
 * a test moves it, and nothing is sent unless a test says so.
 */
import { afterEach, describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { claimDeliveries, type DueDelivery } from "../src/webhooks/claim-deliveries.ts";
import { deliver } from "../src/webhooks/deliver.ts";
import { newMerchant, type Merchant } from "./setup/merchant.ts";
import { startTestService, type Json } from "./setup/test-service.ts";
import { startWebhookReceiver } from "./setup/webhook-receiver.ts";

const receiver = await openForTests(startWebhookReceiver());
const service = await openForTests(startTestService({ role: "api" }));
let clockMs = Date.now();
service.context.now = () => new Date(clockMs);
service.context.random = () => 0.5;
afterEach(async () => {
  receiver.react = (_webhook, response) => void response.end("ok");
  service.context.random = () => 0.5;
  // Otherwise the next test would send the deliveries that this one leaves behind.
  await service.context.db.updateTable("delivery").set({ status: "failed" }).where("status", "=", "pending").execute();
});

const second = 1_000;
const day = 24 * 60 * 60 * second;

const later = (ms: number) => void (clockMs += ms);
const respondWith = (status: number, headers: Record<string, string> = {}) => {
  receiver.react = (_webhook, response) => void response.writeHead(status, headers).end();
};

let paths = 0;

async function newEndpoint(merchant: Merchant): Promise<{ id: string; path: string }> {
  const path = `/hooks/${++paths}`;
  const { body } = await merchant.call("POST", "/api/v1/webhook_endpoints", { url: `${receiver.url}${path}` });
  return { id: String(body["id"]), path };
}

const claim = () =>
  claimDeliveries(service.context, {
    total: 100,
    perEndpoint: 10,
    perFailingEndpoint: 1,
    perAccount: 50,
    taken: new Map(),
  });

/**
 * Runs a worker once.
 * @returns the number of attempted deliveries
 */
async function work(): Promise<number> {
  const due = await claim();
  await Promise.all(due.map((delivery) => deliver(service.context, delivery)));
  return due.length;
}

async function onlyDelivery(merchant: Merchant, endpointId: string): Promise<Json> {
  const [delivery] = await merchant.list(`webhook_endpoints/${endpointId}/deliveries`);
  if (delivery === undefined) throw new Error("There is no delivery");
  return delivery;
}

const receivedAt = (path: string) => receiver.received.filter((webhook) => webhook.path === path);

describe("the schedule", () => {
  it.each([0, 0.5, 0.999_999])(
    "has ten attempts, each exactly after its pause, when every random number is %d",
    async (draw) => {
      service.context.random = () => draw;
      respondWith(500);
      const merchant = await newMerchant(service);
      const { id, path } = await newEndpoint(merchant);
      await merchant.charge("pm_card_visa");
      const factor = 0.8 + draw * 0.4;
      const pauses = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map((pause) =>
        Math.round(pause * factor * 1_000),
      );

      for (const [i, pause] of pauses.entries()) {
        expect(await work()).toBe(1);
        const delivery = await onlyDelivery(merchant, id);
        expect(delivery).toMatchObject({
          status: "pending",
          tries: i + 1,
          last_try: { response_status: 500, failure: "response_status" },
        });
        expect(delivery["next_try_at"]).toBe(Math.floor((clockMs + pause) / 1_000));
        later(pause - 1);
        expect(await work()).toBe(0);
        later(1);
      }
      expect(await work()).toBe(1);
      expect(await onlyDelivery(merchant, id)).toMatchObject({ status: "failed", tries: 10, next_try_at: null });
      later(30 * day);
      expect(await work()).toBe(0);

      const tries = receivedAt(path);
      expect(tries).toHaveLength(10);
      expect(new Set(tries.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
      expect(new Set(tries.map(({ body }) => body)).size).toBe(1);
      expect(new Set(tries.map(({ headers }) => headers["webhook-timestamp"])).size).toBe(10);
    },
  );

  it("ends with the first success", async () => {
    respondWith(503);
    const merchant = await newMerchant(service);
    const { id, path } = await newEndpoint(merchant);
    await merchant.charge("pm_card_visa");
    await work();
    later(5 * second);
    respondWith(204);
    await work();
    expect(await onlyDelivery(merchant, id)).toMatchObject({
      status: "succeeded",
      tries: 2,
      next_try_at: null,
      last_try: { response_status: 204, failure: null },
    });
    later(30 * day);
    await work();
    expect(receivedAt(path)).toHaveLength(2);
  });

  it("respects Retry-After up to a limit", async () => {
    const merchant = await newMerchant(service);
    const { id } = await newEndpoint(merchant);
    respondWith(503, { "retry-after": "20" });
    await merchant.charge("pm_card_visa");
    await work();
    expect((await onlyDelivery(merchant, id))["next_try_at"]).toBe(Math.floor((clockMs + 20 * second) / 1_000));
    later(20 * second);
    respondWith(503, { "retry-after": "99999999" });
    await work();
    expect((await onlyDelivery(merchant, id))["next_try_at"]).toBe(Math.floor((clockMs + 600 * second) / 1_000));
  });
});

describe("an overloaded endpoint", () => {
  it.each([429, 502, 504])(
    "is sent nothing for the time that it requested with a %d, and everything after that",
    async (status) => {
      const merchant = await newMerchant(service);
      const [throttling, other] = [await newEndpoint(merchant), await newEndpoint(merchant)];
      receiver.react = ({ path }, response) =>
        void response.writeHead(path === throttling.path ? status : 200, { "retry-after": "45" }).end();
      await merchant.charge("pm_card_visa");
      await work();
      await merchant.charge("pm_card_visa");
      later(44 * second);
      await work();
      expect([receivedAt(throttling.path).length, receivedAt(other.path).length]).toEqual([1, 2]);
      respondWith(200);
      later(1 * second);
      while ((await work()) > 0);
      expect([receivedAt(throttling.path).length, receivedAt(other.path).length]).toEqual([3, 2]);
      const tries = await merchant.list(`webhook_endpoints/${throttling.id}/deliveries`);
      // Waiting did not count as an attempt.
      expect(tries.map(({ tries: count }) => Number(count)).toSorted((a, b) => a - b)).toEqual([1, 2]);
    },
  );

  it("is sent one delivery at a time while it fails, and ten again after a success", async () => {
    const merchant = await newMerchant(service);
    const { path } = await newEndpoint(merchant);
    respondWith(500);
    await merchant.charge("pm_card_visa");
    await work();
    for (let i = 0; i < 12; i++) await merchant.charge("pm_card_visa");
    expect(await work()).toBe(1);
    respondWith(200);
    expect(await work()).toBe(1);
    expect(await work()).toBe(10);
    expect(receivedAt(path)).toHaveLength(13);
  });
});

describe("an endpoint", () => {
  it("is disabled at once when it returns 410, and the account's others get an event", async () => {
    const merchant = await newMerchant(service);
    const [gone, other] = [await newEndpoint(merchant), await newEndpoint(merchant)];
    receiver.react = ({ path }, response) => void response.writeHead(path === gone.path ? 410 : 200).end();
    await merchant.charge("pm_card_visa");
    while ((await work()) > 0);
    expect(await merchant.read(`webhook_endpoints/${gone.id}`)).toMatchObject({
      status: "disabled",
      disabled_reason: "gone",
    });
    const [, secondAt] = receivedAt(other.path);
    expect(JSON.parse(secondAt?.body ?? "")).toMatchObject({
      type: "webhook_endpoint.disabled",
      object_sequence: 1,
      data: { object: { id: gone.id, object: "webhook_endpoint", status: "disabled", disabled_reason: "gone" } },
    });
    expect(secondAt?.body).not.toContain("whsec_");

    await merchant.charge("pm_card_visa");
    later(5 * second);
    while ((await work()) > 0);
    expect(receivedAt(gone.path)).toHaveLength(1);
    expect(await onlyDelivery(merchant, gone.id)).toMatchObject({
      tries: 2,
      last_try: { failure: "endpoint_disabled" },
    });
  });

  it("is disabled once it has accepted nothing for five days, and only once", async () => {
    const merchant = await newMerchant(service);
    const { id } = await newEndpoint(merchant);
    respondWith(500);
    await merchant.charge("pm_card_visa");
    const began = clockMs;
    await work();
    expect(await merchant.read(`webhook_endpoints/${id}`)).toMatchObject({ failing_since: Math.floor(began / 1_000) });
    for (clockMs = began + day; clockMs < began + 5 * day; clockMs += day) {
      await merchant.charge("pm_card_visa");
      while ((await work()) > 0);
    }
    clockMs = began + 5 * day - 1;
    await merchant.charge("pm_card_visa");
    while ((await work()) > 0);
    expect(await merchant.read(`webhook_endpoints/${id}`)).toMatchObject({ status: "enabled" });
    clockMs = began + 5 * day;
    await merchant.charge("pm_card_visa");
    while ((await work()) > 0);
    expect(await merchant.read(`webhook_endpoints/${id}`)).toMatchObject({
      status: "disabled",
      disabled_reason: "failing",
    });
    later(day);
    while ((await work()) > 0);
    expect((await merchant.events(id)).map(({ type }) => type)).toEqual(["webhook_endpoint.disabled"]);

    const enabled = await merchant.call("PATCH", `/api/v1/webhook_endpoints/${id}`, { status: "enabled" });
    expect(enabled.body).toMatchObject({ status: "enabled", disabled_reason: null, failing_since: null });
    await merchant.charge("pm_card_visa");
    while ((await work()) > 0);
    expect(await merchant.read(`webhook_endpoints/${id}`)).toMatchObject({ status: "enabled" });
  });

  it("isn't disabled by an attempt five days after its first failure if it accepted another attempt in between", async () => {
    const merchant = await newMerchant(service);
    const { id } = await newEndpoint(merchant);
    respondWith(500);
    await merchant.charge("pm_card_visa");
    await work();
    const began = clockMs;
    await merchant.charge("pm_card_visa");
    await merchant.charge("pm_card_visa");
    clockMs = began + 5 * day;
    // Simulates a process with a higher limit, which has three attempts in progress at once.
    const capacity = {
      total: 100,
      perEndpoint: 10,
      perFailingEndpoint: 3,
      perAccount: 50,
      taken: new Map<string, number>(),
    };
    const [taken, slow, slower] = await claimDeliveries(service.context, capacity);
    if (taken === undefined || slow === undefined || slower === undefined)
      throw new Error("Bug: expected three due deliveries");
    respondWith(200);
    await deliver(service.context, taken);
    respondWith(500);
    await deliver(service.context, slow);
    expect(await merchant.read(`webhook_endpoints/${id}`)).toMatchObject({ status: "enabled", failing_since: null });

    await merchant.charge("pm_card_visa");
    await work();
    await deliver(service.context, slower);
    const now = Math.floor(clockMs / 1_000);
    expect(await merchant.read(`webhook_endpoints/${id}`)).toMatchObject({ status: "enabled", failing_since: now });
  });

  it("isn't affected by the result of an attempt to its old URL", async () => {
    const merchant = await newMerchant(service);
    const { id } = await newEndpoint(merchant);
    for (let i = 0; i < 3; i++) await merchant.charge("pm_card_visa");
    const [failed, gone, taken] = await claim();
    if (failed === undefined || gone === undefined || taken === undefined)
      throw new Error("Bug: expected three due deliveries");
    const url = `${receiver.url}/hooks/${++paths}`;
    await merchant.call("PATCH", `/api/v1/webhook_endpoints/${id}`, { url });
    respondWith(500);
    await deliver(service.context, failed);
    respondWith(410);
    await deliver(service.context, gone);
    expect(await merchant.read(`webhook_endpoints/${id}`)).toMatchObject({
      url,
      status: "enabled",
      failing_since: null,
    });

    respondWith(500);
    await merchant.charge("pm_card_visa");
    await work();
    const failing = { url, status: "enabled", failing_since: Math.floor(clockMs / 1_000) };
    expect(await merchant.read(`webhook_endpoints/${id}`)).toMatchObject(failing);
    respondWith(200);
    await deliver(service.context, taken);
    expect(await merchant.read(`webhook_endpoints/${id}`)).toMatchObject(failing);
  });

  it.each<[string, (merchant: Merchant, id: string) => Promise<unknown>]>([
    ["disabled", (merchant, id) => merchant.call("PATCH", `/api/v1/webhook_endpoints/${id}`, { status: "disabled" })],
    ["deleted", (merchant, id) => merchant.call("DELETE", `/api/v1/webhook_endpoints/${id}`)],
  ])("isn't disabled again by an earlier attempt's 410 if its merchant has %s it since", async (_what, change) => {
    const merchant = await newMerchant(service);
    const { id } = await newEndpoint(merchant);
    await merchant.charge("pm_card_visa");
    const [under = expect.fail()] = await claim();
    await change(merchant, id);
    const row = () =>
      service.context.db.selectFrom("webhook_endpoint").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
    const before = await row();
    expect(before.status).toBe("disabled");
    respondWith(410);
    await deliver(service.context, under);
    expect(await row()).toMatchObject({ status: "disabled", disabled_reason: before.disabled_reason });
    expect(await merchant.events(id)).toEqual([]);
  });

  it("starts a new five-day count when it accepts one in between", async () => {
    const merchant = await newMerchant(service);
    const { id } = await newEndpoint(merchant);
    respondWith(500);
    await merchant.charge("pm_card_visa");
    await work();
    later(4 * day);
    respondWith(200);
    await work();
    expect(await merchant.read(`webhook_endpoints/${id}`)).toMatchObject({ status: "enabled", failing_since: null });
    later(2 * day);
    respondWith(500);
    await merchant.charge("pm_card_visa");
    await work();
    expect(await merchant.read(`webhook_endpoints/${id}`)).toMatchObject({
      status: "enabled",
      failing_since: Math.floor(clockMs / 1_000),
    });
  });
});

describe("a claimed delivery", () => {
  it("is claimed again if its process died, but only after its lease expires", async () => {
    const merchant = await newMerchant(service);
    const { id, path } = await newEndpoint(merchant);
    await merchant.charge("pm_card_visa");
    expect(await claim()).toHaveLength(1);
    expect(await claim()).toEqual([]);
    later(24 * second);
    expect(await claim()).toEqual([]);
    later(1 * second);
    expect(await work()).toBe(1);
    expect(await onlyDelivery(merchant, id)).toMatchObject({ status: "succeeded", tries: 1 });
    expect(receivedAt(path)).toHaveLength(1);
  });

  it("is recorded only by the process that now holds it if its first process is very slow", async () => {
    const merchant = await newMerchant(service);
    const { id } = await newEndpoint(merchant);
    await merchant.charge("pm_card_visa");
    const slow = await claim();
    later(25 * second);
    const quick = await claim();
    expect([slow.length, quick.length]).toEqual([1, 1]);
    respondWith(500);
    for (const delivery of slow) await deliver(service.context, delivery);
    expect(await onlyDelivery(merchant, id)).toMatchObject({ status: "pending", tries: 0 });
    respondWith(200);
    for (const delivery of quick) await deliver(service.context, delivery);
    expect(await onlyDelivery(merchant, id)).toMatchObject({ status: "succeeded", tries: 1 });
  });
});

describe("a delivery that can't be signed", () => {
  it("is a failed attempt like any other: it is rescheduled, counted against its endpoint, and logged", async () => {
    const merchant = await newMerchant(service);
    const { id, path } = await newEndpoint(merchant);
    await merchant.charge("pm_card_visa");
    const broken = { sealed_secret: Buffer.from("no secret") };
    await service.context.db.updateTable("webhook_endpoint").set(broken).where("id", "=", id).execute();
    expect(await work()).toBe(1);
    expect(await onlyDelivery(merchant, id)).toMatchObject({
      status: "pending",
      tries: 1,
      last_try: { failure: "not_sent" },
    });
    expect(await merchant.read(`webhook_endpoints/${id}`)).toMatchObject({
      failing_since: Math.floor(clockMs / 1_000),
    });
    expect(await work()).toBe(0);
    expect(receivedAt(path)).toEqual([]);
    expect(service.log.join("")).toContain("Failed to attempt a delivery");
  });
});

describe("a process that shuts down", () => {
  it("returns deliveries that it hasn't started at once, and they don't count as attempts", async () => {
    const merchant = await newMerchant(service);
    const { id, path } = await newEndpoint(merchant);
    receiver.react = () => {};
    await merchant.charge("pm_card_visa");
    const ending = new AbortController();
    const under = (await claim()).map((delivery) => deliver(service.context, delivery, ending.signal));
    await receiver.at(path, 1);
    ending.abort();
    await Promise.all(under);
    expect(await onlyDelivery(merchant, id)).toMatchObject({ status: "pending", tries: 0, last_try: null });
    respondWith(200);
    expect(await work()).toBe(1);
    expect(await onlyDelivery(merchant, id)).toMatchObject({ status: "succeeded", tries: 1 });
    expect(await merchant.read(`webhook_endpoints/${id}`)).toMatchObject({ failing_since: null });
  });
});

describe("the queue", () => {
  it("handles each endpoint separately, so an overloaded one's backlog doesn't hold up the others", async () => {
    const merchant = await newMerchant(service);
    const [full, free] = [await newEndpoint(merchant), await newEndpoint(merchant)];
    for (let i = 0; i < 15; i++) await merchant.charge("pm_card_visa");
    const capacity = { total: 100, perEndpoint: 10, perFailingEndpoint: 1, perAccount: 50 };
    const count = (due: DueDelivery[], { id }: { id: string }) =>
      due.filter(({ endpoint }) => endpoint.id === id).length;

    const first = await claimDeliveries(service.context, { ...capacity, taken: new Map([[full.id, 9]]) });
    expect([count(first, full), count(first, free)]).toEqual([1, 10]);
    const second = await claimDeliveries(service.context, {
      ...capacity,
      taken: new Map([
        [full.id, 10],
        [free.id, 3],
      ]),
    });
    expect([count(second, full), count(second, free)]).toEqual([0, 5]);
    expect(await claimDeliveries(service.context, { ...capacity, total: 4, taken: new Map() })).toHaveLength(4);
    expect(await claimDeliveries(service.context, { ...capacity, total: 0, taken: new Map() })).toEqual([]);
  });

  it("gives every endpoint a delivery before any gets a second one, and limits each account", async () => {
    const [many, one] = [await newMerchant(service), await newMerchant(service)];
    for (let i = 0; i < 8; i++) await newEndpoint(many);
    await newEndpoint(one);
    for (let i = 0; i < 12; i++) await many.charge("pm_card_visa");
    await one.charge("pm_card_visa");
    const claimOnly = (total: number, taken: ReadonlyMap<string, number> = new Map()) =>
      claimDeliveries(service.context, { total, perEndpoint: 10, perFailingEndpoint: 1, perAccount: 50, taken });
    const countOf = (due: DueDelivery[]) => Map.groupBy(due, ({ endpoint }) => endpoint.id);

    const few = await claimOnly(6); // five from the account with eight endpoints, and one from the other
    expect([...countOf(few).values()].map((each) => each.length)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(few.filter(({ endpoint }) => endpoint.account_no === one.tenant.accountNo)).toHaveLength(1);

    const taken = new Map([...countOf(few)].map(([id, each]) => [id, each.length * 10]));
    expect(await claimOnly(100, taken)).toEqual([]); // that account already has fifty in progress
    const rest = await claimOnly(100);
    expect(rest).toHaveLength(50);
    expect(countOf(rest).size).toBe(5);
  });

  it("gives each delivery to one of many concurrent workers", async () => {
    const merchant = await newMerchant(service);
    await newEndpoint(merchant);
    for (let i = 0; i < 20; i++) await merchant.charge("pm_card_visa");
    const claims = (await Promise.all(Array.from({ length: 8 }, claim))).flat().map(({ id }) => id);
    expect(claims.length).toBeGreaterThanOrEqual(20);
    expect(new Set(claims).size).toBe(claims.length);
  });
});
