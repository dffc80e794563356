/** Tests pings that check an endpoint, and what the merchant can see of its deliveries. */
import { beforeEach, describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { expectError, invalid, missing } from "./setup/expect-error.ts";
import type { Merchant } from "./setup/merchant.ts";
import { startTestService } from "./setup/test-service.ts";
import {
  createEvent,
  hasStatus,
  hasAttempt,
  newShop,
  newWebhookEndpoint,
  type TestEndpoint,
} from "./setup/webhook-endpoint.ts";
import { startWebhookReceiver } from "./setup/webhook-receiver.ts";

const receiver = await openForTests(startWebhookReceiver());
const service = await openForTests(startTestService());
beforeEach(() => respondWith(200));

/** Sets the status of all further responses from the receiver. */
function respondWith(status: number): void {
  receiver.react = (_webhook, response) => void response.writeHead(status).end("what the shop says");
}

const ping = ({ call }: Merchant, { route }: TestEndpoint, body?: unknown) =>
  call("POST", `/api/v1/${route}/ping`, body);

describe("a ping", () => {
  it("goes only to the pinged endpoint, whatever it subscribed to, and is listed as an event", async () => {
    const { merchant, endpoint } = await newShop(service, receiver, { enabled_events: ["refund.failed"] });
    const other = await newWebhookEndpoint(merchant, receiver);
    const response = await ping(merchant, endpoint, {});
    expect(response.body).toMatchObject({
      object: "event",
      type: "ping",
      livemode: false,
      object_sequence: 1,
      data: { object: await merchant.read(endpoint.route) },
      request: { id: response.headers["request-id"], idempotency_key: null },
    });
    const [webhook] = await endpoint.received(1);
    expect(JSON.parse(webhook?.body ?? "")).toEqual(response.body);
    expect(webhook?.body).not.toContain('secret"');
    const eventId = String(response.body["id"]);
    expect(await endpoint.delivery(eventId, hasStatus("succeeded"))).toMatchObject({ event_type: "ping", tries: 1 });

    expect((await ping(merchant, endpoint)).body).toMatchObject({ object_sequence: 2 });
    const listed = await merchant.list("events?type=ping");
    expect(listed.map(({ object_sequence }) => object_sequence)).toEqual([2, 1]);
    expect(listed[1]).toEqual(response.body);
    expect(await merchant.read(`events/${eventId}`)).toEqual(response.body);
    expect(await merchant.readFeed(2, "&type=ping")).toEqual(listed.toReversed());
    expect(await other.deliveries()).toEqual([]);
    expect(other.receivedSoFar()).toEqual([]);
  });

  it("is sent once per Idempotency-Key", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    const send = () => merchant.call("POST", `/api/v1/${endpoint.route}/ping`, {}, { "idempotency-key": "ping-1" });
    const [first, ...more] = await Promise.all(Array.from({ length: 4 }, send));
    for (const { text } of more) expect(text).toBe(first?.text);
    expect(await merchant.list("events?type=ping")).toHaveLength(1);
    expect(await endpoint.deliveries()).toHaveLength(1);
  });

  it("is refused with a body, for a missing endpoint and for another merchant's endpoint", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    const { merchant: stranger } = await newShop(service, receiver);
    expectError(await ping(merchant, endpoint, { type: "payment.succeeded" }), invalid("parameter_unknown", "type"));
    expectError(await merchant.call("POST", "/api/v1/webhook_endpoints/we_none/ping"), missing);
    expectError(await ping(stranger, endpoint), missing);
    expect(await merchant.list("events")).toEqual([]);
    expect(await endpoint.deliveries()).toEqual([]);
  });
});

describe("the deliveries of an endpoint", () => {
  it("show each event's attempts: the response, its duration, and the next attempt", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    const taken = await createEvent(merchant);
    expect(await endpoint.delivery(taken, hasStatus("succeeded"))).toEqual({
      id: expect.stringMatching(/^del_[0-9a-z]{33}$/),
      object: "delivery",
      created: expect.any(Number),
      event_id: taken,
      event_type: "payment.succeeded",
      webhook_endpoint_id: endpoint.id,
      status: "succeeded",
      tries: 1,
      next_try_at: null,
      last_try: {
        at: expect.any(Number),
        duration_ms: expect.any(Number),
        response_status: 200,
        response_body: "what the shop says",
        failure: null,
      },
    });

    respondWith(503);
    const failed = await createEvent(merchant, "pm_card_declined_generic");
    const delivery = await endpoint.delivery(failed, hasAttempt);
    expect(delivery).toMatchObject({
      event_type: "payment_failed",
      status: "pending",
      last_try: { response_status: 503, response_body: "what the shop says", failure: "response_status" },
    });
    const pause = Number(delivery["next_try_at"]) - Number(delivery["last_try"]?.["at"]);
    expect(pause).toBeGreaterThanOrEqual(3); // five seconds, plus or minus a fifth, in whole seconds
    expect(pause).toBeLessThanOrEqual(7);
  });

  it("store the first kilobyte of a response, whatever its content", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    receiver.react = (_webhook, response) =>
      void response.end(Buffer.concat([Buffer.from([0, 255, 27]), Buffer.from("é".repeat(5000))]));
    const { last_try } = await endpoint.delivery(await createEvent(merchant), hasStatus("succeeded"));
    expect(String(last_try?.["response_body"])).toBe(`\ufffd\ufffd\ufffd${"é".repeat(510)}`);
    receiver.react = (_webhook, response) => void response.writeHead(204).end();
    const empty = await endpoint.delivery(await createEvent(merchant), hasStatus("succeeded"));
    expect(empty["last_try"]).toMatchObject({ response_status: 204, response_body: "" });
  });

  it("are newest first, page by page, and can be filtered", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    const other = await newWebhookEndpoint(merchant, receiver);
    const events = [await createEvent(merchant), await createEvent(merchant), await createEvent(merchant)];
    for (const eventId of events) await endpoint.delivery(eventId, hasStatus("succeeded"));
    receiver.react = ({ path }, response) => void response.writeHead(path === endpoint.path ? 500 : 200).end();
    events.push(await createEvent(merchant));
    const failing = await endpoint.delivery(events[3] ?? "", hasAttempt);

    const all = await endpoint.deliveries();
    expect(all.map(({ event_id }) => event_id)).toEqual(events.toReversed());
    expect(all.every((delivery) => String(delivery["webhook_endpoint_id"]) === endpoint.id)).toBe(true);
    expect(await endpoint.deliveries("?status=pending")).toEqual([failing]);
    expect(await endpoint.deliveries("?status=succeeded")).toEqual(all.slice(1));
    expect(await endpoint.deliveries("?status=failed")).toEqual([]);
    expect(await endpoint.deliveries(`?event_id=${events[1]}`)).toEqual([all[2]]);
    expect(await endpoint.deliveries(`?event_id=${events[1]}&status=pending`)).toEqual([]);

    const page = await merchant.read(`${endpoint.route}/deliveries?status=succeeded&limit=2`);
    expect(page).toEqual({ object: "list", data: all.slice(1, 3), has_more: true });
    const rest = await merchant.read(
      `${endpoint.route}/deliveries?status=succeeded&limit=2&starting_after=${all[2]?.["id"]}`,
    );
    expect(rest).toEqual({ object: "list", data: all.slice(3), has_more: false });
    const back = await merchant.read(`${endpoint.route}/deliveries?limit=2&ending_before=${all[3]?.["id"]}`);
    expect(back).toEqual({ object: "list", data: all.slice(1, 3), has_more: true });
    expect(await other.deliveries(`?event_id=${events[0]}`)).toHaveLength(1);
  });
});
