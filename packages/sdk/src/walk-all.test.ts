/** Walking through all events: where it goes on, what it hands out, and when it ends. */
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  fakeClock,
  hangUp,
  json,
  type PretendService,
  refusal,
  rejection,
  secretKey,
  startPretendService,
} from "../test/pretend-service.ts";
import { createClient, type Oriel } from "./client.ts";
import { OrielConnectionError, OrielInvalidRequestError } from "./oriel-error.ts";

const page = (ids: string[], cursor: unknown, has_more: boolean) =>
  json(200, { object: "list", data: ids.map((id) => ({ id })), has_more, cursor });

let service: PretendService;
let oriel: Oriel;

beforeEach(async () => {
  service = await startPretendService();
  oriel = createClient({ apiUrl: service.apiUrl, secretKey, clock: fakeClock() });
});

afterEach(async () => {
  await service.close();
});

/** The events that were worked, with the cursor stored after each page. */
async function work(walk: AsyncIterable<{ data: { id: string }[]; cursor: string }>): Promise<string[]> {
  const done: string[] = [];
  for await (const { data, cursor } of walk) done.push(...data.map(({ id }) => id), `stored ${cursor}`);
  return done;
}

const urlsSeen = () => service.seen.map(({ url }) => url);

test("every page comes once, oldest first, with the cursor to store, until there is no more", async () => {
  service.answerWith(page(["evt_1", "evt_2"], "c/2+", true), page([], "c3", true), page(["evt_9"], "c9", false));
  const walk = oriel.events.walkAll({ after: "start", type: "payment.succeeded" });
  expect(await work(walk)).toEqual(["evt_1", "evt_2", "stored c/2+", "stored c3", "evt_9", "stored c9"]);
  expect(urlsSeen()).toEqual([
    "/api/v1/events?after=start&type=payment.succeeded&limit=100",
    "/api/v1/events?after=c%2F2%2B&type=payment.succeeded&limit=100",
    "/api/v1/events?after=c3&type=payment.succeeded&limit=100",
  ]);
});

test("where nothing is new there is one empty page, whose cursor is worth storing", async () => {
  service.answerWith(page([], "c7", false));
  expect(await work(oriel.events.walkAll({ after: "now" }))).toEqual(["stored c7"]);
  expect(await work(oriel.events.walkAll({ after: "c7" }))).toEqual(["stored c7"]);
});

test("what is not worked yet is not gone past: the next page is asked for when the one before is done with", async () => {
  service.answerWith(page(["evt_1"], "c1", true));
  oriel.events.walkAll({ after: "start" });
  expect(service.seen).toHaveLength(0);
  for await (const { cursor } of oriel.events.walkAll({ after: "start" })) {
    expect(cursor).toBe("c1");
    break;
  }
  expect(service.seen).toHaveLength(1);
});

test("a page that fails on the way is asked for again, and nothing is left out", async () => {
  service.answerWith(page(["evt_1"], "c1", true), hangUp, page(["evt_2"], "c2", false));
  expect(await work(oriel.events.walkAll({ after: "start" }))).toEqual(["evt_1", "stored c1", "evt_2", "stored c2"]);
  expect(service.seen).toHaveLength(3);
});

test("a page that is refused ends the loop with its error, and options hold for every page", async () => {
  service.answerWith(
    page(["evt_1"], "c1", true),
    refusal(400, { type: "invalid_request_error", code: "parameter_invalid" }),
  );
  expect(await rejection(work(oriel.events.walkAll({ after: "start" })))).toBeInstanceOf(OrielInvalidRequestError);
  service.answerWith(page(["evt_1"], "c1", true), hangUp);
  const error = await rejection(work(oriel.events.walkAll({ after: "start" }, { maxRetries: 0 })));
  expect(error).toMatchObject({ code: "network", retries: 0 });
});

test.each([
  ["a page that says there is more and stays where it is", page([], "start", true)],
  ["a page without a cursor, as lists have", page(["evt_1"], undefined, true)],
  ["a last page without a cursor", page(["evt_1"], undefined, false)],
])("%s is an error before anything of it is worked", async (_what, answer) => {
  service.answerWith(answer);
  const error = await rejection(work(oriel.events.walkAll({ after: "start" })));
  expect(error).toBeInstanceOf(OrielConnectionError);
  expect(error).toMatchObject({ code: "response_malformed" });
  expect(service.seen).toHaveLength(1);
});

test("without a place to begin it says what to pass, and asks nobody", async () => {
  const walk = oriel.events.walkAll({ after: "" });
  await expect(work(walk)).rejects.toThrow(/pass `after`/);
  expect(urlsSeen()).toEqual([]);
});
