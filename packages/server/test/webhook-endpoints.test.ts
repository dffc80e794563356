/**
 * Tests the life of webhook endpoints: updates, filters, pings, disabling, enabling and deletion, and what happens to
 * deliveries in progress.
 */
import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { createApiKey } from "../src/merchants/accounts/api-keys.ts";
import { deliveriesChannel } from "../src/payments/events/enqueue.ts";
import { newId } from "../src/platform/ids.ts";
import { announceFrom } from "../src/platform/storage/commit-hooks.ts";
import { expectError, invalid, missing, type Refusal } from "./setup/expect-error.ts";
import type { Merchant } from "./setup/merchant.ts";
import { startTestService, type Json } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";
import {
  createEvent,
  hasStatus,
  hasAttempt,
  newShop,
  newWebhookEndpoint,
  type TestEndpoint,
} from "./setup/webhook-endpoint.ts";
import { startWebhookReceiver, type ReceivedWebhook } from "./setup/webhook-receiver.ts";

const receiver = await openForTests(startWebhookReceiver());
const service = await openForTests(startTestService());
beforeEach(() => respondWith(200));

const minuteMs = 60_000;
const disabled = invalid("webhook_endpoint_disabled");

/** Sets the status of all further responses from the receiver. */
function respondWith(status: number): void {
  receiver.react = (_webhook, response) => void response.writeHead(status).end("what the shop says");
}

const patch = ({ call }: Merchant, { route }: TestEndpoint, changes?: unknown) =>
  call("PATCH", `/api/v1/${route}`, changes);
const ping = ({ call }: Merchant, { route }: TestEndpoint, body?: unknown) =>
  call("POST", `/api/v1/${route}/ping`, body);
const remove = ({ call }: Merchant, { route }: TestEndpoint) => call("DELETE", `/api/v1/${route}`);

const typesOf = (webhooks: ReceivedWebhook[]) => webhooks.map(({ body }) => String((JSON.parse(body) as Json)["type"]));
const rowOf = async ({ id }: TestEndpoint) =>
  await service.context.db.selectFrom("webhook_endpoint").selectAll().where("id", "=", id).executeTakeFirstOrThrow();

/** Adds events that haven't been sent to any endpoint, each with a delivery that is due. */
async function addBacklog({ tenant }: Merchant, endpoint: TestEndpoint, count: number): Promise<void> {
  const at = service.context.now();
  const [event, delivery] = [newId("evt", at, tenant).slice(0, -6), newId("del", at, tenant).slice(0, -6)];
  await sql`
    with heap as (
      insert into event (id, account_no, livemode, type, object_id, object_sequence, object, created_at)
      select ${event} || lpad(i::text, 6, '0'), ${tenant.accountNo}, false, 'payment_failed', ${endpoint.id}, i, '{}', ${at}
      from generate_series(1, ${count}::integer) i returning id
    )
    insert into delivery (account_no, livemode, id, event_id, endpoint_id, status, next_try_at, created_at)
    select ${tenant.accountNo}::bigint, false, ${delivery} || right(id, 6), id, ${endpoint.id}, 'pending', ${at}, ${at} from heap`.execute(
    service.context.db,
  );
}

async function countAttempted(endpoint: TestEndpoint): Promise<{ never: number; once: number }> {
  const { rows } = await sql<{ never: number; once: number }>`
    select count(*) filter (where tries = 0)::integer as never, count(*) filter (where tries > 0)::integer as once
    from delivery where endpoint_id = ${endpoint.id}`.execute(service.context.db);
  return rows[0] ?? { never: 0, once: 0 };
}

it("an endpoint that subscribes to a type of the next version can be used while both versions are running", async () => {
  const { merchant, endpoint } = await newShop(service, receiver);
  const enabled_events = ["payment.succeeded", "account.of_the_next_version"];
  await sql`update webhook_endpoint set enabled_events = ${enabled_events} where id = ${endpoint.id}`.execute(
    service.context.db,
  );
  expect(await merchant.read(endpoint.route)).toMatchObject({ enabled_events });
  expect((await merchant.read("webhook_endpoints"))["data"]).toMatchObject([{ enabled_events }]);
  const changed = await merchant.call("PATCH", `/api/v1/${endpoint.route}`, { description: "The shop" });
  expect(changed).toMatchObject({ status: 200, body: { enabled_events, description: "The shop" } });
});

describe("an update", () => {
  it("changes the given fields and leaves the others", async () => {
    const { merchant, endpoint } = await newShop(service, receiver, {
      description: "The shop",
      enabled_events: ["refund.failed"],
    });
    const before = await merchant.read(endpoint.route);
    const steps: [object, object][] = [
      [{}, {}],
      [{ description: "Books" }, { description: "Books" }],
      [
        { enabled_events: ["payment.succeeded", "payment_failed"] },
        { enabled_events: ["payment.succeeded", "payment_failed"] },
      ],
      [{ url: "https://SHOP.example/a/../hooks" }, { url: "https://shop.example/hooks" }],
      [
        { description: null, enabled_events: null },
        { description: null, enabled_events: null },
      ],
      [{ status: "disabled" }, { status: "disabled", disabled_reason: "requested" }],
      [
        { status: "enabled", description: "" },
        { status: "enabled", disabled_reason: null, description: "" },
      ],
    ];
    let expected: object = before;
    for (const [changes, seen] of steps) {
      expected = { ...expected, ...seen };
      const response = await patch(merchant, endpoint, changes);
      expect({ status: response.status, body: response.body }).toEqual({ status: 200, body: expected });
      expect(await merchant.read(endpoint.route)).toEqual(expected);
    }
    expect(await merchant.list("webhook_endpoints")).toEqual([expected]);
  });

  it.each<[string, unknown, Refusal]>([
    ["no fields", undefined, invalid("body_malformed")],
    ["null", "null", invalid("body_malformed")],
    ["a list", "[]", invalid("body_malformed")],
    ["a repeated field", '{"status":"enabled","status":"disabled"}', invalid("body_malformed")],
    ["no url", { url: null }, invalid("parameter_invalid", "url")],
    ["an empty URL", { url: "" }, invalid("parameter_invalid", "url")],
    [
      "a URL that is too long",
      { url: `https://shop.example/${"x".repeat(2048)}` },
      invalid("parameter_invalid", "url"),
    ],
    ["a private IP address", { url: "https://10.0.0.8/hooks" }, invalid("url_not_allowed", "url")],
    [
      "the address of a cloud's metadata service",
      { url: "http://[::ffff:169.254.169.254]/" },
      invalid("url_not_allowed", "url"),
    ],
    ["a URL with a password", { url: "https://ann:x@shop.example/" }, invalid("url_not_allowed", "url")],
    ["another scheme", { url: "ftp://shop.example/" }, invalid("url_not_allowed", "url")],
    ["no events", { enabled_events: [] }, invalid("parameter_invalid", "enabled_events")],
    ["an unknown event type", { enabled_events: ["charge.paid"] }, invalid("parameter_invalid", "enabled_events[0]")],
    [
      "an event type that can't be subscribed to",
      { enabled_events: ["ping"] },
      invalid("parameter_invalid", "enabled_events[0]"),
    ],
    [
      "a repeated event type",
      { enabled_events: ["payment_failed", "payment_failed"] },
      invalid("parameter_invalid", "enabled_events"),
    ],
    ["a description that is too long", { description: "x".repeat(501) }, invalid("parameter_invalid", "description")],
    ["an unknown status", { status: "deleted" }, invalid("parameter_invalid", "status")],
    ["a status of null", { status: null }, invalid("parameter_invalid", "status")],
    ["a reason", { disabled_reason: "gone" }, invalid("parameter_unknown", "disabled_reason")],
    ["a secret", { secret: "whsec_x" }, invalid("parameter_unknown", "secret")],
    ["another mode", { livemode: true }, invalid("parameter_unknown", "livemode")],
    ["another owner", { account_id: "acct_x" }, invalid("parameter_unknown", "account_id")],
    ["a history", { failing_since: null }, invalid("parameter_unknown", "failing_since")],
    [
      "a valid field next to an invalid one",
      { description: "New", status: "off" },
      invalid("parameter_invalid", "status"),
    ],
  ])("is refused with %s and changes nothing", async (_name, changes, refusal) => {
    const { merchant, endpoint } = await newShop(service, receiver);
    const before = await rowOf(endpoint);
    expectError(await patch(merchant, endpoint, changes), refusal);
    expect(await rowOf(endpoint)).toEqual(before);
  });

  it("applies a new event filter to later events, and null subscribes to everything", async () => {
    const { merchant, endpoint } = await newShop(service, receiver, { enabled_events: ["payment_failed"] });
    await createEvent(merchant);
    await patch(merchant, endpoint, { enabled_events: ["payment.succeeded"] });
    const wanted = [await createEvent(merchant)];
    await createEvent(merchant, "pm_card_declined_generic");
    await patch(merchant, endpoint, { enabled_events: null });
    wanted.push(await createEvent(merchant, "pm_card_declined_generic"));
    expect(typesOf(await endpoint.received(2)).sort()).toEqual(["payment.succeeded", "payment_failed"]);
    expect((await endpoint.deliveries()).map(({ event_id }) => event_id)).toEqual(wanted.toReversed());
  });

  it("applies a new URL to pending deliveries too and clears the failures of the old URL", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    respondWith(500);
    const eventId = await createEvent(merchant);
    await endpoint.delivery(eventId, hasAttempt);
    expect(await merchant.read(endpoint.route)).toMatchObject({ failing_since: expect.any(Number) });
    respondWith(200);
    const moved = await patch(merchant, endpoint, { url: `${receiver.url}/moved/${endpoint.id}` });
    expect(moved.body).toMatchObject({ failing_since: null });
    service.moveClock(minuteMs);
    const [webhook] = await receiver.at(`/moved/${endpoint.id}`, 1);
    expect(JSON.parse(webhook?.body ?? "")).toMatchObject({ id: eventId });
    expect(endpoint.receivedSoFar()).toHaveLength(1);
  });

  it("isn't affected by the old URL's last response", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    let respond = () => {};
    receiver.react = (_webhook, response) => void (respond = () => void response.writeHead(410).end());
    const eventId = await createEvent(merchant);
    await endpoint.received(1);
    await patch(merchant, endpoint, { url: `${receiver.url}/moved/${endpoint.id}` });
    respond();
    await endpoint.delivery(eventId, hasAttempt);
    expect(await merchant.read(endpoint.route)).toMatchObject({ status: "enabled", failing_since: null });
  });
});

describe("a disabled endpoint", () => {
  it("receives nothing, not even redeliveries, until it is enabled again", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    const first = await createEvent(merchant);
    await endpoint.delivery(first, hasStatus("succeeded"));
    expect((await patch(merchant, endpoint, { status: "disabled" })).body).toMatchObject({
      disabled_reason: "requested",
    });
    const missed = await createEvent(merchant);
    expectError(await ping(merchant, endpoint), disabled);
    expectError(await merchant.call("POST", `/api/v1/${endpoint.route}/redeliver`, { from: 0 }), disabled);
    const again = { webhook_endpoint_id: endpoint.id };
    expectError(await merchant.call("POST", `/api/v1/events/${first}/redeliver`, again), disabled);
    expect(await endpoint.deliveries(`?event_id=${missed}`)).toEqual([]);
    expect(await merchant.list("events?type=ping")).toEqual([]);

    await patch(merchant, endpoint, { status: "enabled" });
    const last = await createEvent(merchant);
    await endpoint.delivery(last, hasStatus("succeeded"));
    expect(endpoint.receivedSoFar()).toHaveLength(2);
  });

  it("pauses its pending deliveries, which continue on schedule once it is enabled", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    respondWith(500);
    const eventId = await createEvent(merchant);
    await endpoint.delivery(eventId, hasAttempt);
    const { failing_since } = await merchant.read(endpoint.route);
    await patch(merchant, endpoint, { status: "disabled" });
    service.moveClock(minuteMs);
    const skipped = await endpoint.delivery(eventId, ({ tries }) => Number(tries) === 2);
    expect(skipped).toMatchObject({
      status: "pending",
      last_try: { response_status: null, response_body: null, failure: "endpoint_disabled", duration_ms: 0 },
    });
    expect(endpoint.receivedSoFar()).toHaveLength(1);
    expect(await merchant.read(endpoint.route)).toMatchObject({ failing_since }); // disabling it doesn't reset this

    respondWith(200);
    expect((await patch(merchant, endpoint, { status: "enabled" })).body).toMatchObject({
      disabled_reason: null,
      failing_since: null,
    });
    service.moveClock(10 * minuteMs);
    expect(await endpoint.delivery(eventId, hasStatus("succeeded"))).toMatchObject({ tries: 3 });
    expect(endpoint.receivedSoFar()).toHaveLength(2);
  });

  it("loses its pending deliveries after longer than the schedule, and they can be sent again", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    respondWith(500);
    const eventId = await createEvent(merchant);
    await endpoint.delivery(eventId, hasAttempt);
    await patch(merchant, endpoint, { status: "disabled" });
    for (let tries = 2; tries <= 10; tries++) {
      service.moveClock(29 * 60 * minuteMs);
      announceFrom(service.context.db, deliveriesChannel); // otherwise it takes up to a second
      await endpoint.delivery(eventId, (delivery) => Number(delivery["tries"]) === tries);
    }
    expect(await endpoint.delivery(eventId, hasStatus("failed"))).toMatchObject({
      next_try_at: null,
      last_try: { failure: "endpoint_disabled" },
    });
    respondWith(200);
    await patch(merchant, endpoint, { status: "enabled" });
    const redelivery = await merchant.call("POST", `/api/v1/${endpoint.route}/redeliver`, { from: 0 });
    expect(redelivery.body).toEqual({ object: "redelivery", deliveries: 1 });
    expect(await endpoint.delivery(eventId, hasStatus("succeeded"))).toMatchObject({ tries: 1 });
  });

  it("doesn't delay others when it has many pending deliveries, which are processed without a pause", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    await patch(merchant, endpoint, { status: "disabled" });
    await addBacklog(merchant, endpoint, 400);
    await until("the first delivery to be processed", async () =>
      (await countAttempted(endpoint)).once > 0 ? true : null,
    );
    expect((await merchant.call("GET", "/api/v1/charges")).status).toBe(200);
    // The request returned before all deliveries were processed.
    expect((await countAttempted(endpoint)).never).toBeGreaterThan(0);
    await until("all deliveries to be processed", async () =>
      (await countAttempted(endpoint)).never === 0 ? true : null,
    );
  });

  it("shows a 410 as the reason until it is enabled, and the account's other endpoints get an event", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    const other = await newWebhookEndpoint(merchant, receiver, { enabled_events: ["webhook_endpoint.disabled"] });
    receiver.react = ({ path }, response) => void response.writeHead(path === endpoint.path ? 410 : 200).end();
    const eventId = await createEvent(merchant);
    await endpoint.delivery(eventId, hasAttempt);
    const gone = await merchant.read(endpoint.route);
    expect(gone).toMatchObject({ status: "disabled", disabled_reason: "gone" });
    const [delivery] = await other.received(1);
    expect(JSON.parse(delivery?.body ?? "")).toMatchObject({
      type: "webhook_endpoint.disabled",
      data: { object: gone },
    });
    expect(delivery?.body).not.toContain("whsec_");

    expect((await patch(merchant, endpoint, { status: "disabled" })).body).toMatchObject({ disabled_reason: "gone" });
    expect((await patch(merchant, endpoint, { status: "enabled" })).body).toMatchObject({
      status: "enabled",
      disabled_reason: null,
      failing_since: null,
    });
  });
});

describe("a deleted endpoint", () => {
  it("no longer appears anywhere, and its pending deliveries fail", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    respondWith(500);
    const eventId = await createEvent(merchant);
    const { id } = await endpoint.delivery(eventId, hasAttempt);
    const gone = await remove(merchant, endpoint);
    expect({ status: gone.status, body: gone.body }).toEqual({
      status: 200,
      body: { id: endpoint.id, object: "webhook_endpoint", deleted: true },
    });

    respondWith(200);
    const { call } = merchant;
    const path = `/api/v1/${endpoint.route}`;
    expectError(await call("GET", path), missing);
    expectError(await call("GET", `${path}/deliveries`), missing);
    expectError(await patch(merchant, endpoint, { status: "enabled" }), missing);
    expectError(await patch(merchant, endpoint, {}), missing);
    expectError(await remove(merchant, endpoint), missing);
    expectError(await ping(merchant, endpoint), missing);
    expectError(await call("POST", `${path}/redeliver`, { from: 0 }), missing);
    const again = { webhook_endpoint_id: endpoint.id };
    const named = invalid("resource_missing", "webhook_endpoint_id");
    expectError(await call("POST", `/api/v1/events/${eventId}/redeliver`, again), named);
    expect(await merchant.list("webhook_endpoints")).toEqual([]);
    expect((await call("POST", `/api/v1/events/${eventId}/redeliver`, {})).body).toMatchObject({ deliveries: 0 });

    await createEvent(merchant);
    service.moveClock(minuteMs);
    const ended = await until("the delivery to end", async () => {
      const row = service.context.db.selectFrom("delivery").selectAll().where("id", "=", String(id));
      const delivery = await row.executeTakeFirstOrThrow();
      return delivery.status === "pending" ? null : delivery;
    });
    expect(ended).toMatchObject({ status: "failed", failure: "endpoint_disabled", response_status: null });
    expect(endpoint.receivedSoFar()).toHaveLength(1);
  });

  it("loses its secrets too", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    await merchant.call("POST", `/api/v1/${endpoint.route}/rotate_secret`, {});
    expect(await rowOf(endpoint)).toMatchObject({ sealed_previous_secret: expect.any(Buffer) });
    await remove(merchant, endpoint);
    expect(await rowOf(endpoint)).toMatchObject({ sealed_secret: Buffer.alloc(0), sealed_previous_secret: null });
  });

  it("is neither restored nor reported if it was deleted during a delivery", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    const other = await newWebhookEndpoint(merchant, receiver);
    let respond = () => {};
    receiver.react = ({ path }, response) => {
      if (path === endpoint.path) respond = () => void response.writeHead(410).end();
      else response.end();
    };
    const eventId = await createEvent(merchant);
    await endpoint.received(1);
    await remove(merchant, endpoint);
    respond();
    await until("the attempt to be recorded", async () => {
      const row = service.context.db.selectFrom("delivery").selectAll().where("endpoint_id", "=", endpoint.id);
      return (await row.executeTakeFirstOrThrow()).tries === 1 ? true : null;
    });
    await other.delivery(eventId, hasStatus("succeeded"));
    expectError(await merchant.call("GET", `/api/v1/${endpoint.route}`), missing);
    expect(await merchant.list("events?type=webhook_endpoint.disabled")).toEqual([]);
  });

  it("no longer counts toward the limit of twenty, which includes disabled ones and holds for concurrent requests", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    const create = () => merchant.call("POST", "/api/v1/webhook_endpoints", { url: "https://shop.example/" });
    await patch(merchant, endpoint, { status: "disabled" });
    for (let i = 1; i < 18; i++) expect((await create()).status).toBe(200);
    const atOnce = (await Promise.all(Array.from({ length: 12 }, create))).map(({ status }) => status);
    expect(atOnce.filter((status) => status === 200)).toHaveLength(2);
    expectError(await create(), invalid("parameter_invalid"));
    await remove(merchant, endpoint);
    expect((await create()).status).toBe(200);
    expectError(await create(), invalid("parameter_invalid"));
    expect(await merchant.list("webhook_endpoints?limit=100")).toHaveLength(20);
  });
});

describe("test and live mode", () => {
  it("have separate endpoints, whose events and deliveries aren't visible in the other mode", async () => {
    const live = await startTestService({ live: true });
    try {
      const { tenant, secretKey } = await live.addTenant(true);
      const testKey = await createApiKey(live.context.db, { ...tenant, livemode: false }, live.context.now());
      const as = (key: string) => ({ authorization: `Bearer ${key}` });
      const [inLive, inTest] = [as(secretKey), as(testKey.secretKey)];
      const url = "https://shop.example/hooks";
      const path = "/api/v1/webhook_endpoints";
      const plain = { url: "http://shop.example/hooks" };
      expectError(await live.call("POST", path, plain, inLive), invalid("url_not_allowed", "url"));
      const [real, tried] = [
        await live.call("POST", path, { url }, inLive),
        await live.call("POST", path, { url }, inTest),
      ];
      expect([real.body["livemode"], tried.body["livemode"]]).toEqual([true, false]);
      const [realPath, triedPath] = [`${path}/${real.body["id"]}`, `${path}/${tried.body["id"]}`];
      expectError(await live.call("PATCH", realPath, plain, inLive), invalid("url_not_allowed", "url"));
      expect((await live.call("PATCH", triedPath, plain, inTest)).body).toMatchObject(plain);

      for (const [method, to, body] of [
        ["GET", "", undefined],
        ["PATCH", "", { status: "disabled" }],
        ["DELETE", "", undefined],
        ["POST", "/ping", {}],
        ["POST", "/rotate_secret", {}],
        ["POST", "/redeliver", { from: 0 }],
        ["GET", "/deliveries", undefined],
      ] as const) {
        expectError(await live.call(method, `${realPath}${to}`, body, inTest), missing);
        expectError(await live.call(method, `${triedPath}${to}`, body, inLive), missing);
      }
      const event = await live.call("POST", `${realPath}/ping`, {}, inLive);
      expect(event.body).toMatchObject({ type: "ping", livemode: true });
      const eventPath = `/api/v1/events/${event.body["id"]}`;
      expect((await live.call("GET", eventPath, undefined, inLive)).body).toEqual(event.body);
      expectError(await live.call("GET", eventPath, undefined, inTest), missing);
      expectError(await live.call("POST", `${eventPath}/redeliver`, {}, inTest), missing);
      expect((await live.call("GET", "/api/v1/events?after=start", undefined, inTest)).body["data"]).toEqual([]);
      const named = { webhook_endpoint_id: tried.body["id"] };
      const refusal = invalid("resource_missing", "webhook_endpoint_id");
      expectError(await live.call("POST", `${eventPath}/redeliver`, named, inLive), refusal);
    } finally {
      await live.close();
    }
  });
});

describe("the operations above", () => {
  it("log no error", async () => {
    expect(service.log.filter((line) => (JSON.parse(line) as { level: number }).level >= 50)).toEqual([]);
    const { rows } = await sql<{ count: number }>`select count(*)::integer as count from delivery`.execute(
      service.context.db,
    );
    expect(rows[0]?.count).toBeGreaterThan(0); // a control
  });
});

describe("the audit log", () => {
  it("records which request created, changed, rotated and deleted an endpoint, with its URL and without a secret", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    await patch(merchant, endpoint, { url: "https://shop.example/hooks?token=the-shop-s-own" });
    await merchant.call("POST", `/api/v1/${endpoint.route}/rotate_secret`, {});
    const removed = await remove(merchant, endpoint);
    const entries = await service.context.db
      .selectFrom("audit_log")
      .select(["action", "actor", "details"])
      .where("object_id", "=", endpoint.id)
      .where("account_id", "=", merchant.accountId)
      .orderBy("created_at")
      .execute();
    expect(entries.map(({ action }) => action).toSorted()).toEqual([
      "webhook_endpoint.created",
      "webhook_endpoint.deleted",
      "webhook_endpoint.secret_rotated",
      "webhook_endpoint.updated",
    ]);
    expect(entries.every(({ actor }) => /^request req_[0-9a-z]{33}$/.test(actor))).toBe(true);
    expect(entries.map(({ actor }) => actor)).toContain(`request ${String(removed.headers["request-id"])}`);
    expect(entries.map(({ details }) => details["host"])).toContain("shop.example");
    expect(JSON.stringify(entries)).not.toMatch(/token|whsec_/);
  });
});
