/**
 * Tests sending events again: one event to one endpoint, one event to all endpoints, and all events of a time range to
 * one endpoint.
 */
import { sql } from "kysely";
import { beforeEach, describe, expect, inject, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { newId } from "../src/platform/ids.ts";
import { expectError, invalid, missing, type Refusal } from "./setup/expect-error.ts";
import { newMerchant, type Merchant } from "./setup/merchant.ts";
import { startTestService, type ApiResponse, type Json } from "./setup/test-service.ts";
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

const succeeded = hasStatus("succeeded");

/** Sets the status of all further responses from the receiver. */
function respondWith(status: number): void {
  receiver.react = (_webhook, response) => void response.writeHead(status).end();
}

const redeliver = ({ call }: Merchant, eventId: string, body?: unknown) =>
  call("POST", `/api/v1/events/${eventId}/redeliver`, body);
const redeliverRange = ({ call }: Merchant, { route }: TestEndpoint, body?: unknown) =>
  call("POST", `/api/v1/${route}/redeliver`, body);
const patch = ({ call }: Merchant, { route }: TestEndpoint, changes: object) =>
  call("PATCH", `/api/v1/${route}`, changes);

function expectScheduled({ status, body }: ApiResponse, deliveries: number): void {
  expect({ status, body }).toEqual({ status: 200, body: { object: "redelivery", deliveries } });
}

const eventIds = (webhooks: ReceivedWebhook[]) => webhooks.map(({ headers }) => String(headers["webhook-id"]));
const idsOf = (events: Json[]) => events.map(({ id }) => String(id));
const seconds = () => Math.floor(service.context.now().getTime() / 1000);

describe("one event to one endpoint", () => {
  it("is sent again with the same ID and bytes and a new signature, even if it was accepted before", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    const eventId = await createEvent(merchant);
    const before = await endpoint.delivery(eventId, succeeded);
    service.moveClock(3_600_000);
    expectScheduled(await redeliver(merchant, eventId, { webhook_endpoint_id: endpoint.id }), 1);
    const [first, second] = await endpoint.received(2);
    expect(second?.body).toBe(first?.body);
    expect(second?.headers["webhook-id"]).toBe(eventId);
    expect(
      Number(second?.headers["webhook-timestamp"]) - Number(first?.headers["webhook-timestamp"]),
    ).toBeGreaterThanOrEqual(3_600);
    const lastAt = Number(before["last_try"]?.["at"]);
    const after = await endpoint.delivery(eventId, (it) => succeeded(it) && Number(it["last_try"]?.["at"]) > lastAt);
    expect(after).toMatchObject({ id: before["id"], created: before["created"], tries: 1 });
    expect(await endpoint.deliveries()).toHaveLength(1);
  });

  it("is sent to no other endpoint and isn't added to the event feed again", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    const other = await newWebhookEndpoint(merchant, receiver);
    const eventId = await createEvent(merchant);
    for (const each of [endpoint, other]) await each.delivery(eventId, succeeded);
    expectScheduled(await redeliver(merchant, eventId, { webhook_endpoint_id: endpoint.id }), 1);
    await endpoint.received(2);
    expect(await other.delivery(eventId, succeeded)).toMatchObject({ tries: 1 });
    expect(other.receivedSoFar()).toHaveLength(1);
    expect(idsOf(await merchant.readFeed(1))).toEqual([eventId]);
  });

  it("is sent even to an endpoint that didn't subscribe to its type or didn't exist yet", async () => {
    const { merchant, endpoint } = await newShop(service, receiver, { enabled_events: ["refund.failed"] });
    const eventId = await createEvent(merchant);
    const newer = await newWebhookEndpoint(merchant, receiver);
    for (const each of [endpoint, newer]) {
      expect(await each.deliveries()).toEqual([]);
      expectScheduled(await redeliver(merchant, eventId, { webhook_endpoint_id: each.id }), 1);
      expect(eventIds(await each.received(1))).toEqual([eventId]);
    }
  });

  it("restarts its schedule when it had been abandoned", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    respondWith(500);
    const eventId = await createEvent(merchant);
    await endpoint.delivery(eventId, hasAttempt);
    const givenUp = { status: "failed", tries: 10 } as const;
    await service.context.db.updateTable("delivery").set(givenUp).where("event_id", "=", eventId).execute();
    expectScheduled(await redeliver(merchant, eventId, { webhook_endpoint_id: endpoint.id }), 1);
    const again = await endpoint.delivery(eventId, (delivery) => Number(delivery["tries"]) === 1);
    expect(again).toMatchObject({ status: "pending", last_try: { response_status: 500 } });
    respondWith(200);
    service.moveClock(60_000);
    expect(await endpoint.delivery(eventId, succeeded)).toMatchObject({ tries: 2 });
  });

  it("is sent once more while an attempt is in progress, and that attempt's result doesn't count", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    const held: (() => void)[] = [];
    receiver.react = (_webhook, response) => void held.push(() => void response.writeHead(500).end());
    const eventId = await createEvent(merchant);
    await endpoint.received(1);
    respondWith(200);
    expectScheduled(await redeliver(merchant, eventId, { webhook_endpoint_id: endpoint.id }), 1);
    const second = await endpoint.delivery(eventId, succeeded);
    expect(second).toMatchObject({ tries: 1, last_try: { response_status: 200 } });
    for (const respond of held) respond();
    const other = await createEvent(merchant); // the first attempt's result would be recorded by now
    await endpoint.delivery(other, succeeded);
    expect(await endpoint.delivery(eventId, succeeded)).toEqual(second);
    expect(eventIds(endpoint.receivedSoFar())).toEqual([eventId, eventId, other]);
  });

  it("is sent once more while an attempt is in progress, even if that attempt was accepted", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    const held: (() => void)[] = [];
    receiver.react = (_webhook, response) => void held.push(() => void response.end());
    const eventId = await createEvent(merchant);
    await endpoint.received(1);
    expectScheduled(await redeliver(merchant, eventId, { webhook_endpoint_id: endpoint.id }), 1);
    await endpoint.received(2);
    for (const respond of held) respond();
    expect(await endpoint.delivery(eventId, succeeded)).toMatchObject({ tries: 1 });
    expect(endpoint.receivedSoFar()).toHaveLength(2);
  });

  it("succeeds when requested many times at once, and counts once per Idempotency-Key", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    const eventId = await createEvent(merchant);
    await endpoint.delivery(eventId, succeeded);
    const body = { webhook_endpoint_id: endpoint.id };
    const responses = await Promise.all(Array.from({ length: 8 }, () => redeliver(merchant, eventId, body)));
    for (const response of responses) expectScheduled(response, 1);
    await endpoint.delivery(eventId, (it) => succeeded(it) && Number(it["tries"]) === 1);
    expect(await endpoint.deliveries()).toHaveLength(1);

    const key = { "idempotency-key": "again-1" };
    const retry = (more: object = {}) => merchant.call("POST", `/api/v1/events/${eventId}/redeliver`, more, key);
    const keyed = [await retry(), await retry()];
    expect(keyed[1]?.text).toBe(keyed[0]?.text);
    expect(idsOf(await merchant.readFeed(2))).toEqual([eventId, eventId]);
    expectError(await retry(body), {
      status: 422,
      type: "idempotency_error",
      code: "idempotency_key_in_use",
      param: "Idempotency-Key",
    });
  });
});

describe("one event to all endpoints", () => {
  it("is sent to each enabled endpoint that subscribes to its type and appears in the feed again", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    const wants = await newWebhookEndpoint(merchant, receiver, { enabled_events: ["payment.succeeded"] });
    const not = await newWebhookEndpoint(merchant, receiver, { enabled_events: ["payment_failed"] });
    const off = await newWebhookEndpoint(merchant, receiver);
    const deleted = await newWebhookEndpoint(merchant, receiver);
    const events = [await createEvent(merchant), await createEvent(merchant)];
    for (const each of [endpoint, wants, off, deleted]) await each.received(2);
    await patch(merchant, off, { status: "disabled" });
    await merchant.call("DELETE", `/api/v1/${deleted.route}`);
    await merchant.readFeed(2);
    const feed = await merchant.read("events?after=start");
    expect(idsOf(feed["data"] as unknown as Json[])).toEqual(events); // a list's data is an array

    const [again = ""] = events;
    expectScheduled(await redeliver(merchant, again), 2);
    for (const each of [endpoint, wants]) {
      expect(eventIds(await each.received(3))[2]).toBe(again);
      await each.delivery(again, succeeded);
    }
    expect([not.receivedSoFar().length, off.receivedSoFar().length, deleted.receivedSoFar().length]).toEqual([0, 2, 2]);
    await merchant.readFeed(3);
    const more = await merchant.read(`events?after=${feed["cursor"]}`);
    expect(more["data"]).toEqual([await merchant.read(`events/${again}`)]);
    expect(idsOf(await merchant.readFeed(3))).toEqual([...events, again]);
    expect(idsOf(await merchant.list("events?after=start&type=payment_failed"))).toEqual([]);
    expect(idsOf(await merchant.list("events"))).toEqual(events.toReversed()); // the list shows the event once

    expectScheduled(await redeliver(merchant, again, {}), 2);
    await merchant.readFeed(4);
    expect(idsOf(await merchant.list(`events?after=${more["cursor"]}&type=payment.succeeded`))).toEqual([again]);
  });

  it("is only added to the event feed when there is no endpoint", async () => {
    const merchant = await newMerchant(service);
    const eventId = await createEvent(merchant);
    await merchant.readFeed(1);
    const { cursor } = await merchant.read("events?after=now");
    expectScheduled(await redeliver(merchant, eventId), 0);
    await merchant.readFeed(2);
    expect(idsOf(await merchant.list(`events?after=${cursor}`))).toEqual([eventId]);
  });

  it("sends a ping only to the endpoint that was pinged, whatever it subscribed to", async () => {
    const { merchant, endpoint } = await newShop(service, receiver, { enabled_events: ["refund.failed"] });
    const other = await newWebhookEndpoint(merchant, receiver);
    const ping = await merchant.call("POST", `/api/v1/${endpoint.route}/ping`, {});
    const eventId = String(ping.body["id"]);
    await endpoint.delivery(eventId, succeeded);
    expectScheduled(await redeliver(merchant, eventId), 1);
    expect(eventIds(await endpoint.received(2))).toEqual([eventId, eventId]);
    expect(await other.deliveries()).toEqual([]);
  });
});

describe("a time range to one endpoint", () => {
  /** Events 1.5 seconds apart, each attempted once while the endpoint responded as given. */
  async function history(more: object, ...statuses: number[]) {
    const { merchant, endpoint } = await newShop(service, receiver, more);
    const events: { id: string; created: number }[] = [];
    for (const status of statuses) {
      respondWith(status);
      const id = await createEvent(merchant);
      await endpoint.delivery(id, hasAttempt);
      const { created } = await merchant.read(`events/${id}`);
      events.push({ id, created: Number(created) });
      // Postpones the next attempt, so that no delivery is sent without a redelivery.
      const nextAttempt = { next_try_at: new Date(service.context.now().getTime() + 3_600_000) };
      await service.context.db.updateTable("delivery").set(nextAttempt).where("event_id", "=", id).execute();
      service.moveClock(1_500);
    }
    respondWith(200);
    return { merchant, endpoint, events };
  }

  it("sends only what was not accepted, unless everything is requested", async () => {
    const { merchant, endpoint, events } = await history({}, 500, 200, 404, 200);
    const [, taken, , alsoTaken] = events;
    expectScheduled(await redeliverRange(merchant, endpoint, { from: 0 }), 2);
    for (const { id } of events) await endpoint.delivery(id, succeeded);
    expect(eventIds(endpoint.receivedSoFar()).filter((id) => id === taken?.id || id === alsoTaken?.id)).toHaveLength(2);
    expectScheduled(await redeliverRange(merchant, endpoint, { from: 0 }), 0);
    expectScheduled(await redeliverRange(merchant, endpoint, { from: 0, only_failed: true }), 0);

    const before = endpoint.receivedSoFar().length;
    expectScheduled(await redeliverRange(merchant, endpoint, { from: 0, only_failed: false }), 4);
    const again = (await endpoint.received(before + 4)).slice(before);
    expect(eventIds(again).sort()).toEqual(events.map(({ id }) => id).sort());
    expect(idsOf(await merchant.readFeed(4))).toHaveLength(4); // the feed shows no event twice
  });

  it("includes the second in `from` and excludes the second in `to`", async () => {
    const { merchant, endpoint, events } = await history({}, 200, 200, 200);
    const [a, b, c] = events.map(({ created }) => created);
    const count = async (from = 0, to?: number) => {
      const range = { from, ...(to === undefined ? {} : { to }), only_failed: false };
      return Number((await redeliverRange(merchant, endpoint, range)).body["deliveries"]);
    };
    expect(await count(a, b)).toBe(1);
    expect(await count(a, c)).toBe(2);
    expect(await count(a)).toBe(3);
    expect(await count(b)).toBe(2);
    expect(await count((a ?? 0) + 1)).toBe(2);
    expect(await count(b, (b ?? 0) + 1)).toBe(1);
    expect(await count((c ?? 0) + 1)).toBe(0);
    expect(await count(0, a)).toBe(0);
    expect(await count(0, 99_999_999_999)).toBe(3);
    expect(await count(99_999_999_999)).toBe(0);
    expect(await count(seconds() + 3_600)).toBe(0);
  });

  it("includes subscribed events from before the endpoint existed or while it was disabled, but no pings", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    const wanted = [await createEvent(merchant)];
    const newer = await newWebhookEndpoint(merchant, receiver, { enabled_events: ["payment.succeeded"] });
    await merchant.call("POST", `/api/v1/${newer.route}/ping`, {});
    await patch(merchant, newer, { status: "disabled" });
    wanted.push(await createEvent(merchant));
    await createEvent(merchant, "pm_card_declined_generic");
    await patch(merchant, newer, { status: "enabled" });
    await createEvent(await newMerchant(service));
    expectScheduled(await redeliverRange(merchant, newer, { from: 0, only_failed: false }), 2);
    const received = await newer.received(3);
    expect(eventIds(received.filter(({ body }) => !body.includes('"ping"'))).sort()).toEqual(wanted.sort());
    expect((await endpoint.deliveries()).every(({ tries }) => Number(tries) <= 1)).toBe(true);

    await patch(merchant, newer, { enabled_events: null });
    expectScheduled(await redeliverRange(merchant, newer, { from: 0, only_failed: false }), 3);
  });

  it("is sent once per Idempotency-Key", async () => {
    const { merchant, endpoint } = await history({}, 200);
    const body = { from: 0, only_failed: false };
    const retry = () =>
      merchant.call("POST", `/api/v1/${endpoint.route}/redeliver`, body, { "idempotency-key": "all-1" });
    const responses = await Promise.all([retry(), retry(), retry()]);
    for (const response of responses) expectScheduled(response, 1);
    expect(responses.filter(({ headers }) => headers["idempotent-replayed"] === "true")).toHaveLength(2);
  });

  it("is refused above ten thousand events without sending any, and ten thousand are allowed", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    await patch(merchant, endpoint, { url: "http://127.0.0.1:1026/" }); // no server needs to receive them
    const { accountNo, livemode } = merchant.tenant;
    const at = service.context.now();
    const first = newId("evt", at, merchant.tenant).slice(0, -6);
    await sql`
      insert into event (id, account_no, livemode, type, object_id, object_sequence, object, created_at)
      select ${first} || lpad(i::text, 6, '0'), ${accountNo}, ${livemode}, 'payment_failed', ${`ch_of_${accountNo}`}, i, '{}', ${at}
      from generate_series(0, 10000) i`.execute(service.context.db);
    const from = Math.floor(at.getTime() / 1000);
    expectError(await redeliverRange(merchant, endpoint, { from }), invalid("parameter_invalid", "from"));
    expect(await endpoint.deliveries()).toEqual([]);
    await sql`delete from event where object_id = ${`ch_of_${accountNo}`} and object_sequence = 0`.execute(
      service.context.db,
    );
    expectScheduled(await redeliverRange(merchant, endpoint, { from, to: from + 1 }), 10_000);
    await service.context.db.deleteFrom("delivery").where("endpoint_id", "=", endpoint.id).execute();
  });
});

describe("a redelivery", () => {
  it.each<[string, object, Refusal]>([
    ["without a beginning", {}, invalid("parameter_missing", "from")],
    ["from nothing", { from: null }, invalid("parameter_invalid", "from")],
    ["from text", { from: "0" }, invalid("parameter_invalid", "from")],
    ["from a fraction of a second", { from: 1.5 }, invalid("parameter_invalid", "from")],
    ["from a negative time", { from: -1 }, invalid("parameter_invalid", "from")],
    ["from a time in milliseconds", { from: 1_700_000_000_000 }, invalid("parameter_invalid", "from")],
    ["to a time in milliseconds", { from: 0, to: 1_700_000_000_000 }, invalid("parameter_invalid", "to")],
    ["to its own start", { from: 5, to: 5 }, invalid("parameter_invalid", "to")],
    ["backwards", { from: 5, to: 4 }, invalid("parameter_invalid", "to")],
    ["with text as a boolean", { from: 0, only_failed: "no" }, invalid("parameter_invalid", "only_failed")],
    ["with an event type", { from: 0, type: "payment_failed" }, invalid("parameter_unknown", "type")],
  ])("is refused for a time range %s", async (_name, body, refusal) => {
    const { merchant, endpoint } = await newShop(service, receiver);
    expectError(await redeliverRange(merchant, endpoint, body), refusal);
    expect(await endpoint.deliveries()).toEqual([]);
  });

  it("is refused for an unknown event, another account's event or a missing endpoint, and changes nothing", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    const stranger = await newShop(service, receiver);
    const eventId = await createEvent(merchant);
    const foreign = await createEvent(stranger.merchant);
    const before = await endpoint.delivery(eventId, succeeded);
    const named = invalid("resource_missing", "webhook_endpoint_id");
    for (const [by, event, body, refusal] of [
      [merchant, "evt_none", {}, missing],
      [merchant, endpoint.id, {}, missing],
      [merchant, foreign, {}, missing],
      [merchant, foreign, { webhook_endpoint_id: endpoint.id }, missing],
      [merchant, eventId, { webhook_endpoint_id: "we_none" }, named],
      [merchant, eventId, { webhook_endpoint_id: "" }, named],
      [merchant, eventId, { webhook_endpoint_id: stranger.endpoint.id }, named],
      [merchant, eventId, { webhook_endpoint_id: null }, invalid("parameter_invalid", "webhook_endpoint_id")],
      [merchant, eventId, { webhook_endpoint_id: [endpoint.id] }, invalid("parameter_invalid", "webhook_endpoint_id")],
      [merchant, eventId, { endpoint: endpoint.id }, invalid("parameter_unknown", "endpoint")],
      [stranger.merchant, eventId, {}, missing],
    ] as const) {
      expectError(await redeliver(by, event, body), refusal);
    }
    expectError(await redeliverRange(stranger.merchant, endpoint, { from: 0 }), missing);
    expect(await endpoint.deliveries()).toEqual([before]);
    expect(idsOf(await merchant.readFeed(1))).toEqual([eventId]);
    expect(endpoint.receivedSoFar()).toHaveLength(1);
  });
});

describe("time range redeliveries of one account", () => {
  it("run one at a time, and a second one is refused with a request to retry later", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    await createEvent(merchant);
    const range = { from: seconds() - 60, only_failed: false };
    const key = `redeliver ${merchant.tenant.accountNo}`;
    // PGlite has only one connection, so two can't run at the same time.
    const isConcurrent = inject("postgresUrl") !== null;
    const meanwhile = isConcurrent
      ? await service.context.db.transaction().execute(async (tx) => {
          await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(tx);
          return await redeliverRange(merchant, endpoint, range);
        })
      : null;
    expect([meanwhile?.status, meanwhile?.headers["retry-after"]]).toEqual(
      isConcurrent ? [429, "1"] : [undefined, undefined],
    );
    expectScheduled(await redeliverRange(merchant, endpoint, range), 1);
  });
});
