/** Tests iterating over lists, and which pages are fetched. */
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  fakeClock,
  hangUp,
  json,
  type FakeApi,
  refusal,
  rejection,
  secretKey,
  startPretendService,
} from "../test/fake-api.ts";
import { createClient, type Oriel } from "./client.ts";
import { OrielConnectionError, OrielInvalidRequestError } from "./oriel-error.ts";

const page = (ids: string[], has_more: boolean) =>
  json(200, { object: "list", data: ids.map((id) => ({ id })), has_more });

let service: FakeApi;
let oriel: Oriel;

beforeEach(async () => {
  service = await startPretendService();
  oriel = createClient({ apiUrl: service.apiUrl, secretKey, clock: fakeClock() });
});

afterEach(async () => {
  await service.close();
});

async function idsOf(list: AsyncIterable<{ id: string }>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of list) ids.push(id);
  return ids;
}

const urlsSeen = () => service.seen.map(({ url }) => url);

test("yields every object once and in order, in pages of 100 with the same filter", async () => {
  service.respondWith(page(["ch_5", "ch_4"], true), page(["ch_3", "ch_2"], true), page(["ch_1"], false));
  expect(await idsOf(oriel.charges.listAll({ session_id: "cs_1" }))).toEqual(["ch_5", "ch_4", "ch_3", "ch_2", "ch_1"]);
  expect(urlsSeen()).toEqual([
    "/api/v1/charges?session_id=cs_1&limit=100",
    "/api/v1/charges?session_id=cs_1&starting_after=ch_4&limit=100",
    "/api/v1/charges?session_id=cs_1&starting_after=ch_2&limit=100",
  ]);
});

test.each<[string, (client: Oriel) => AsyncIterable<{ id: string }>, string]>([
  ["checkoutSessions", (client) => client.checkoutSessions.listAll(), "/api/v1/checkout_sessions?limit=100"],
  ["charges", (client) => client.charges.listAll(), "/api/v1/charges?limit=100"],
  ["refunds", (client) => client.refunds.listAll({ charge_id: "ch_1" }), "/api/v1/refunds?charge_id=ch_1&limit=100"],
  ["disputes", (client) => client.disputes.listAll({ charge_id: "ch_1" }), "/api/v1/disputes?charge_id=ch_1&limit=100"],
  [
    "events",
    (client) => client.events.listAll({ type: "refund.failed", starting_after: "evt_9" }),
    "/api/v1/events?type=refund.failed&starting_after=evt_9&limit=100",
  ],
  ["webhookEndpoints", (client) => client.webhookEndpoints.listAll(), "/api/v1/webhook_endpoints?limit=100"],
  [
    "deliveries",
    (client) => client.webhookEndpoints.listAllDeliveries("we_1", { status: "failed" }),
    "/api/v1/webhook_endpoints/we_1/deliveries?status=failed&limit=100",
  ],
])("iterates over %s, even if the list is empty", async (_name, listAll, url) => {
  service.respondWith(page([], false));
  expect(await idsOf(listAll(oriel))).toEqual([]);
  expect(urlsSeen()).toEqual([url]);
});

test("fetches only the pages that are needed", async () => {
  service.respondWith(page(["ch_3", "ch_2"], true));
  oriel.charges.listAll();
  expect(service.seen).toHaveLength(0);
  for await (const { id } of oriel.charges.listAll()) if (id === "ch_2") break;
  expect(service.seen).toHaveLength(1);
});

test("retries a page after a connection error without skipping objects", async () => {
  service.respondWith(page(["ch_2"], true), hangUp, page(["ch_1"], false));
  expect(await idsOf(oriel.charges.listAll())).toEqual(["ch_2", "ch_1"]);
  expect(service.seen).toHaveLength(3);
});

test("throws the error of a page that's refused, and applies the options to every page", async () => {
  service.respondWith(page(["ch_2"], true), refusal(400, { type: "invalid_request_error", code: "parameter_invalid" }));
  expect(await rejection(idsOf(oriel.charges.listAll()))).toBeInstanceOf(OrielInvalidRequestError);
  service.respondWith(page(["ch_2"], true), hangUp);
  expect(await rejection(idsOf(oriel.charges.listAll({}, { maxRetries: 0 })))).toMatchObject({
    code: "network",
    retries: 0,
  });
});

test.each([
  ["an empty page with has_more", [page([], true)]],
  ["the same page repeatedly", [page(["ch_1"], true)]],
])("throws for %s instead of looping", async (_what, pages) => {
  service.respondWith(...pages);
  const error = await rejection(idsOf(oriel.charges.listAll()));
  expect(error).toBeInstanceOf(OrielConnectionError);
  expect(error).toMatchObject({ code: "response_malformed" });
  expect(service.seen.length).toBeLessThan(3);
});
