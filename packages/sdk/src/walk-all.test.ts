/** Tests iterating over the event feed: start, pages, cursors and end. */
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

const page = (ids: string[], cursor: unknown, has_more: boolean) =>
  json(200, { object: "list", data: ids.map((id) => ({ id })), has_more, cursor });

let service: FakeApi;
let oriel: Oriel;

beforeEach(async () => {
  service = await startPretendService();
  oriel = createClient({ apiUrl: service.apiUrl, secretKey, clock: fakeClock() });
});

afterEach(async () => {
  await service.close();
});

/** Returns the processed events, with the cursor stored after each page. */
async function processAll(walk: AsyncIterable<{ data: { id: string }[]; cursor: string }>): Promise<string[]> {
  const done: string[] = [];
  for await (const { data, cursor } of walk) done.push(...data.map(({ id }) => id), `stored ${cursor}`);
  return done;
}

const urlsSeen = () => service.seen.map(({ url }) => url);

test("yields every page once, oldest first, with its cursor", async () => {
  service.respondWith(page(["evt_1", "evt_2"], "c/2+", true), page([], "c3", true), page(["evt_9"], "c9", false));
  const walk = oriel.events.walkAll({ after: "start", type: "payment.succeeded" });
  expect(await processAll(walk)).toEqual(["evt_1", "evt_2", "stored c/2+", "stored c3", "evt_9", "stored c9"]);
  expect(urlsSeen()).toEqual([
    "/api/v1/events?after=start&type=payment.succeeded&limit=100",
    "/api/v1/events?after=c%2F2%2B&type=payment.succeeded&limit=100",
    "/api/v1/events?after=c3&type=payment.succeeded&limit=100",
  ]);
});

test("yields one empty page with a cursor when nothing is new", async () => {
  service.respondWith(page([], "c7", false));
  expect(await processAll(oriel.events.walkAll({ after: "now" }))).toEqual(["stored c7"]);
  expect(await processAll(oriel.events.walkAll({ after: "c7" }))).toEqual(["stored c7"]);
});

test("fetches the next page only after the previous one is processed", async () => {
  service.respondWith(page(["evt_1"], "c1", true));
  oriel.events.walkAll({ after: "start" });
  expect(service.seen).toHaveLength(0);
  for await (const { cursor } of oriel.events.walkAll({ after: "start" })) {
    expect(cursor).toBe("c1");
    break;
  }
  expect(service.seen).toHaveLength(1);
});

test("retries a page after a connection error without skipping events", async () => {
  service.respondWith(page(["evt_1"], "c1", true), hangUp, page(["evt_2"], "c2", false));
  expect(await processAll(oriel.events.walkAll({ after: "start" }))).toEqual([
    "evt_1",
    "stored c1",
    "evt_2",
    "stored c2",
  ]);
  // On a busy machine, a connection can also break by itself.
  const [first, ...retried] = urlsSeen();
  expect(first).toContain("after=start");
  expect(retried.length).toBeGreaterThanOrEqual(2);
  expect(new Set(retried).size).toBe(1);
});

test("throws the error of a page that's refused, and applies the options to every page", async () => {
  service.respondWith(
    page(["evt_1"], "c1", true),
    refusal(400, { type: "invalid_request_error", code: "parameter_invalid" }),
  );
  expect(await rejection(processAll(oriel.events.walkAll({ after: "start" })))).toBeInstanceOf(
    OrielInvalidRequestError,
  );
  service.respondWith(page(["evt_1"], "c1", true), hangUp);
  const error = await rejection(processAll(oriel.events.walkAll({ after: "start" }, { maxRetries: 0 })));
  expect(error).toMatchObject({ code: "network", retries: 0 });
});

test.each([
  ["a page with has_more and an unchanged cursor", page([], "start", true)],
  ["a page without a cursor, like a list's", page(["evt_1"], undefined, true)],
  ["a last page without a cursor", page(["evt_1"], undefined, false)],
])("throws for %s before yielding it", async (_what, respond) => {
  service.respondWith(respond);
  const error = await rejection(processAll(oriel.events.walkAll({ after: "start" })));
  expect(error).toBeInstanceOf(OrielConnectionError);
  expect(error).toMatchObject({ code: "response_malformed" });
  expect(service.seen).toHaveLength(1);
});

test("throws without a start position and sends no request", async () => {
  const walk = oriel.events.walkAll({ after: "" });
  await expect(processAll(walk)).rejects.toThrow(/set `after` to/);
  expect(urlsSeen()).toEqual([]);
});
