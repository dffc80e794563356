/** Tests events in the dashboard: listing them, their deliveries, and sending them again. */
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { newWorkspace, signInToWorkspace } from "./setup/dashboard-member.ts";
import { expectError, invalid, missing } from "./setup/expect-error.ts";
import { startTestService, type Json } from "./setup/test-service.ts";
import { createEvent, hasStatus, newWebhookEndpoint } from "./setup/webhook-endpoint.ts";
import { startWebhookReceiver } from "./setup/webhook-receiver.ts";

const receiver = await openForTests(startWebhookReceiver());
const service = await openForTests(startTestService());
const workspace = await newWorkspace(service);
const other = await newWorkspace(service);
const endpoint = await newWebhookEndpoint(workspace.merchant, receiver);

const idsOf = (objects: Json[]) => objects.map(({ id }) => String(id));

it("lists events newest first, filtered by type or object, page by page", async () => {
  const shop = await newWorkspace(service);
  const paid = (await shop.merchant.charge("pm_card_visa")).body;
  await shop.merchant.charge("pm_card_declined_generic");
  await shop.merchant.refund(String(paid["id"]), 100);
  const events = idsOf(await shop.merchant.events()).reverse();
  expect(events).toHaveLength(3);
  expect(idsOf(await shop.list("events"))).toEqual(events);
  expect(await shop.list("events?type=payment_failed")).toMatchObject([{ id: events[1], type: "payment_failed" }]);
  const [ofCharge] = await shop.list(`events?object_id=${String(paid["id"])}`);
  expect(ofCharge).toEqual({
    id: events[2],
    type: "payment.succeeded",
    object_id: String(paid["id"]),
    object_sequence: 1,
    created: expect.any(Number),
  });
  expect(await shop.read("events?limit=2")).toMatchObject({ has_more: true });
  expect(idsOf(await shop.list(`events?limit=2&starting_after=${events[1]}`))).toEqual([events[2]]);
  expect((await shop.visitor.inWorkspace("GET", "events?type=payment.paid")).status).toBe(400);
});

it("shows what was sent and how the endpoint responded", async () => {
  receiver.react = (_webhook, response) => void response.writeHead(500).end("out of paper");
  const id = await createEvent(workspace.merchant);
  await endpoint.delivery(id, (delivery) => Number(delivery["tries"]) === 1 && String(delivery["last_try"]) !== "null");
  const shown = await workspace.read(`events/${id}`);
  expect(shown["event"]).toEqual(await workspace.merchant.read(`events/${id}`));
  expect(shown["deliveries"]).toMatchObject([
    {
      webhook_endpoint_id: endpoint.id,
      url: `${receiver.url}${endpoint.path}`,
      status: "pending",
      tries: 1,
      next_try_at: expect.any(Number),
      last_try: {
        response_status: 500,
        response_body: "out of paper",
        duration_ms: expect.any(Number),
        failure: "response_status",
      },
    },
  ]);
});

it("sends an event again to one endpoint or to all subscribed ones and audits the user", async () => {
  receiver.react = (_webhook, response) => void response.end("ok");
  const id = await createEvent(workspace.merchant);
  await endpoint.delivery(id, hasStatus("succeeded"));
  const receivedBefore = endpoint.receivedSoFar().length;
  const key = randomUUID();
  const toOne = () => workspace.post(`events/${id}/redeliver`, { endpoint_id: endpoint.id }, key);
  const [first, second] = await Promise.all([toOne(), toOne()]);
  expect([first.body, second.body]).toEqual([
    { object: "redelivery", deliveries: 1 },
    { object: "redelivery", deliveries: 1 },
  ]);
  await endpoint.received(receivedBefore + 1);
  expect((await workspace.post(`events/${id}/redeliver`)).body).toEqual({ object: "redelivery", deliveries: 1 });
  await endpoint.received(receivedBefore + 2);
  const actor = `login ${workspace.visitor.email}`;
  expect((await workspace.audited()).filter(({ action }) => action === "event.redelivered")).toEqual([
    {
      actor,
      action: "event.redelivered",
      object_id: id,
      details: { address: "127.0.0.1", livemode: false, endpoint: endpoint.id },
    },
    { actor, action: "event.redelivered", object_id: id, details: { address: "127.0.0.1", livemode: false } },
  ]);
});

it("refuses to send events for read-only users and to disabled or missing endpoints", async () => {
  receiver.react = (_webhook, response) => void response.end("ok");
  const id = await createEvent(workspace.merchant);
  await endpoint.delivery(id, hasStatus("succeeded"));
  const off = await newWebhookEndpoint(workspace.merchant, receiver, { enabled_events: ["refund.failed"] });
  await workspace.merchant.call("PATCH", `/api/v1/${off.route}`, { status: "disabled" });
  const receivedBefore = receiver.received.length;
  const auditedBefore = (await workspace.audited()).length;
  expectError(
    await workspace.post(`events/${id}/redeliver`, { endpoint_id: off.id }),
    invalid("webhook_endpoint_disabled"),
  );
  const unknown = await workspace.post(`events/${id}/redeliver`, { endpoint_id: "we_nobody" });
  expectError(unknown, invalid("resource_missing", "endpoint_id"));
  expect((await workspace.audited()).length).toBe(auditedBefore);
  const reader = await signInToWorkspace(service, workspace.merchant, "read_only");
  expect((await reader.post(`events/${id}/redeliver`)).status).toBe(403);
  expect(String((await reader.read(`events/${id}`))["event"]?.["id"])).toBe(id);
  expect(receiver.received.length).toBe(receivedBefore);
});

it("hides events from other merchants, whichever ID they send in whichever field", async () => {
  const id = await createEvent(workspace.merchant);
  const theirs = await createEvent(other.merchant);
  const objectId = String((await workspace.merchant.read(`events/${id}`))["data"]?.["object"]?.["id"]);
  expect(await workspace.list(`events?object_id=${objectId}`)).toHaveLength(1);
  expect(await other.list(`events?object_id=${objectId}`)).toEqual([]);
  expectError(await other.visitor.inWorkspace("GET", `events/${id}`), missing);
  expectError(await other.post(`events/${id}/redeliver`), missing);
  const toOurs = await other.post(`events/${theirs}/redeliver`, { endpoint_id: endpoint.id });
  expectError(toOurs, invalid("resource_missing", "endpoint_id"));
  expect(idsOf(await other.list("events"))).toEqual([theirs]);
  for (const path of ["events", `events/${id}`]) {
    expectError(await other.visitor.call("GET", `/data/${workspace.visitor.accountId}/test/${path}`), missing);
  }
  expectError(await workspace.visitor.call("GET", `/data/${workspace.visitor.accountId}/live/events/${id}`), missing);
});
