/**
 * Tests retries against an HTTP server that misbehaves: what's retried, how often, with which key and after which
 * pause.
 */
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type Respond,
  fakeClock,
  type FakeClock,
  hangUp,
  json,
  type FakeApi,
  refusal,
  rejection,
  secretKey,
  startPretendService,
  staySilent,
} from "../test/fake-api.ts";
import type { ClientOptions } from "./client-options.ts";
import { createClient } from "./client.ts";
import { OrielApiError, OrielConnectionError, OrielError, OrielRateLimitError } from "./oriel-error.ts";

const charge = { amount: 4900, currency: "eur", payment_method_id: "pm_1", decision_id: "dec_1" };
const unknownOutcome = (headers?: Record<string, string>) =>
  refusal(503, { type: "api_error", code: "payment_outcome_unknown" }, headers);
const done = json(200, { id: "ch_1" });

let service: FakeApi;
let clock: FakeClock;

beforeEach(async () => {
  service = await startPretendService();
  clock = fakeClock();
});

afterEach(async () => {
  await service.close();
});

/** A client whose jitter is always half of its maximum. */
function client(options: Partial<ClientOptions> = {}) {
  return createClient({ apiUrl: service.apiUrl, secretKey, clock, random: () => 0.5, ...options });
}

const keysSeen = () => service.seen.map((request) => request.headers["idempotency-key"]);

test.each<[string, Respond]>([
  ["a connection that breaks after the request", hangUp],
  [
    "a connection that breaks during the response",
    (response) => void response.writeHead(200).write("{", () => response.destroy()),
  ],
  ["an unknown outcome", unknownOutcome()],
  [
    "a concurrent request with the same key",
    refusal(503, { type: "api_error", code: "idempotent_request_in_progress" }),
  ],
  ["an error of the service", refusal(500, { type: "api_error", code: "internal_error" })],
  ["a proxy's page for a request that didn't arrive in time", (response) => void response.writeHead(408).end("<html>")],
  ["a proxy's bad gateway page", (response) => void response.writeHead(502).end("<html>")],
  ["too many requests", refusal(429, { type: "rate_limit_error", code: "rate_limited" })],
  ["a proxy's page for too many requests", (response) => void response.writeHead(429).end("<html>")],
])("retries after %s with the same bytes and key until it succeeds", async (_what, trouble) => {
  service.respondWith(trouble, trouble, done);
  expect(await client().charges.create(charge)).toEqual({ id: "ch_1" });
  expect(service.seen).toHaveLength(3);
  expect(keysSeen()[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(new Set(keysSeen()).size).toBe(1);
  expect(new Set(service.seen.map(({ method, url, body }) => `${method} ${url} ${body}`))).toEqual(
    new Set([`POST /api/v1/charges ${JSON.stringify(charge)}`]),
  );
});

test("retries after a timeout with the same key", async () => {
  service.respondWith(staySilent, done);
  expect(await client({ timeoutMs: 100 }).charges.create(charge, { idempotencyKey: "order-5" })).toEqual({
    id: "ch_1",
  });
  expect(service.seen.length).toBeGreaterThan(1); // more than two if this machine is slower than the timeout
  expect(new Set(keysSeen())).toEqual(new Set(["order-5"]));
});

test("retries reads without a key", async () => {
  service.respondWith(hangUp, unknownOutcome(), done);
  expect(await client().charges.retrieve("ch_1")).toEqual({ id: "ch_1" });
  expect(service.seen.map(({ method }) => method)).toEqual(["GET", "GET", "GET"]);
  expect(keysSeen()).toEqual([undefined, undefined, undefined]);
});

test("retries updates and deletions without a key", async () => {
  service.respondWith(hangUp, done, unknownOutcome(), done);
  await client().webhookEndpoints.update("we_1", { status: "enabled" });
  await client().webhookEndpoints.del("we_1");
  expect(service.seen.map(({ method, body }) => `${method} ${body}`)).toEqual([
    'PATCH {"status":"enabled"}',
    'PATCH {"status":"enabled"}',
    "DELETE ",
    "DELETE ",
  ]);
  expect(keysSeen()).toEqual([undefined, undefined, undefined, undefined]);
});

const missing = refusal(404, { type: "invalid_request_error", code: "resource_missing" });

test.each<[string, Respond]>([
  ["was lost", hangUp],
  ["is a proxy's bad gateway page", (response) => void response.writeHead(502).end("<html>")],
])("reports an endpoint as deleted if it's missing after the first response %s", async (_what, trouble) => {
  service.respondWith(trouble, missing);
  expect(await client().webhookEndpoints.del("we_1")).toEqual({
    id: "we_1",
    object: "webhook_endpoint",
    deleted: true,
  });
  expect(service.seen).toHaveLength(2);
});

test.each<[string, Respond[]]>([
  ["before any request was lost", []],
  ["after too many requests", [refusal(429, { type: "rate_limit_error", code: "rate_limited" })]],
  ["after a proxy timed out waiting for the request", [(response) => void response.writeHead(408).end()]],
])("throws if the endpoint to delete is missing %s", async (_when, earlier) => {
  service.respondWith(...earlier, missing);
  expect(await rejection(client().webhookEndpoints.del("we_1"))).toMatchObject({ code: "resource_missing" });
});

test("throws if an object is missing after a lost response, unless the call deletes it", async () => {
  service.respondWith(hangUp, missing);
  expect(await rejection(client().webhookEndpoints.retrieve("we_1"))).toMatchObject({ code: "resource_missing" });
});

test("throws the last failure after three retries, with the number of retries and the key", async () => {
  service.respondWith(hangUp, unknownOutcome());
  const error = await rejection(client().charges.create(charge));
  expect(error).toBeInstanceOf(OrielApiError);
  expect(error).toMatchObject({
    code: "payment_outcome_unknown",
    status: 503,
    retries: 3,
    idempotencyKey: keysSeen()[0],
  });
  expect(service.seen).toHaveLength(4);
});

test.each<[string, Respond]>([
  ["a decline", refusal(402, { type: "card_error", code: "card_declined", decline_code: "issuer_not_available" })],
  ["a decline with Retry-After", refusal(402, { type: "card_error", code: "card_declined" }, { "retry-after": "1" })],
  ["an invalid request", refusal(400, { type: "invalid_request_error", code: "parameter_missing" })],
  [
    "a charge with an operation in progress",
    refusal(400, { type: "invalid_request_error", code: "charge_operation_in_progress" }),
  ],
  ["a wrong key", refusal(401, { type: "authentication_error", code: "api_key_invalid" })],
  ["a missing object", refusal(404, { type: "invalid_request_error", code: "resource_missing" })],
  ["a key that's in use", refusal(422, { type: "idempotency_error", code: "idempotency_key_in_use" })],
  ["a redirect", (response) => void response.writeHead(307, { location: "/elsewhere" }).end()],
  ["a success that is not JSON", (response) => void response.writeHead(200).end("<html>")],
])("doesn't retry after %s", async (_what, respond) => {
  service.respondWith(respond, done);
  const error = await rejection(client().charges.create(charge));
  expect(error).toBeInstanceOf(OrielError);
  expect(error).toMatchObject({ retries: 0 });
  expect(service.seen).toHaveLength(1);
  expect(clock.pauses).toEqual([]);
});

test("stops retrying when a decline follows a broken connection", async () => {
  service.respondWith(
    hangUp,
    refusal(402, { type: "card_error", code: "card_declined", decline_code: "do_not_honor" }),
    done,
  );
  expect(await rejection(client().charges.create(charge))).toMatchObject({ declineCode: "do_not_honor", retries: 1 });
  expect(service.seen).toHaveLength(2);
});

test("limits retries per client or per call, and the call's setting takes precedence", async () => {
  service.respondWith(unknownOutcome());
  const calls = [
    client({ maxRetries: 0 }).charges.create(charge),
    client().charges.create(charge, { maxRetries: 0 }),
    client({ maxRetries: 0 }).charges.retrieve("ch_1", { maxRetries: 1 }),
    client({ maxRetries: 5 }).charges.list({}, { maxRetries: 2 }),
  ];
  const failures = await Promise.all(calls.map((call) => rejection(call)));
  expect(failures).toMatchObject([{ retries: 0 }, { retries: 0 }, { retries: 1 }, { retries: 2 }]);
  expect(service.seen).toHaveLength(1 + 1 + 2 + 3);
});

test.each([-1, 1.5, 11, Number.NaN, Number.POSITIVE_INFINITY, "3"])(
  "refuses %s retries and sends nothing",
  async (maxRetries) => {
    const wrong = maxRetries as number; // TypeScript forbids these values
    expect(() => client({ maxRetries: wrong })).toThrow(TypeError);
    await expect(client().charges.list({}, { maxRetries: wrong })).rejects.toThrow(TypeError);
    expect(service.seen).toHaveLength(0);
  },
);

test("doubles the maximum pause from half a second to eight, with full jitter", async () => {
  service.respondWith(unknownOutcome());
  await rejection(client({ maxRetries: 7, random: () => 0.999 }).charges.list());
  expect(clock.pauses.map(Math.round)).toEqual([500, 999, 1998, 3996, 7992, 7992, 7992]);
  clock.pauses.length = 0;
  await rejection(client({ maxRetries: 3, random: () => 0 }).charges.list());
  expect(clock.pauses).toEqual([0, 0, 0]);
});

test("waits for Retry-After plus jitter", async () => {
  const limited = (seconds: string) =>
    refusal(429, { type: "rate_limit_error", code: "rate_limited" }, { "retry-after": seconds });
  service.respondWith(limited("7"), limited("0"), done);
  await client().charges.create(charge);
  expect(clock.pauses).toEqual([7_000 + 250, 500]);
});

test("measures a Retry-After date from the response's Date, and ignores invalid values", async () => {
  const date = "Fri, 20 Nov 2026 08:00:00 GMT";
  service.respondWith(
    unknownOutcome({ date, "retry-after": "Fri, 20 Nov 2026 08:00:05 GMT" }),
    unknownOutcome({ date, "retry-after": "Fri, 20 Nov 2026 07:00:00 GMT" }),
    unknownOutcome({ "retry-after": "soon" }),
    done,
  );
  await client().charges.create(charge);
  expect(clock.pauses).toEqual([5_000 + 250, 500, 1_000]);
});

test("throws immediately if Retry-After exceeds the total timeout", async () => {
  service.respondWith(refusal(429, { type: "rate_limit_error", code: "rate_limited" }, { "retry-after": "3600" }));
  const error = await rejection(client().charges.create(charge));
  expect(error).toBeInstanceOf(OrielRateLimitError);
  expect(error).toMatchObject({ retries: 0, retryAfterSeconds: 3600 });
  expect(service.seen).toHaveLength(1);
  expect(clock.pauses).toEqual([]);
});

test("ends at the total timeout even if retries are left", async () => {
  service.respondWith(unknownOutcome({ "retry-after": "4" }));
  const error = await rejection(
    client({ totalTimeoutMs: 10_000, maxRetries: 10, random: () => 0 }).charges.create(charge),
  );
  expect(error).toMatchObject({ code: "payment_outcome_unknown", retries: 2 });
  expect(clock.pauses).toEqual([4_000, 4_000]);
});

test("limits a request to the rest of the total timeout", async () => {
  service.respondWith(unknownOutcome({ "retry-after": "1" }), staySilent);
  const error = await rejection(
    client({ timeoutMs: 600_000, totalTimeoutMs: 1_050, maxRetries: 1, random: () => 0 }).charges.list(),
  );
  expect(error).toMatchObject({ code: "timeout", message: "No response within 50 ms.", retries: 1 });
});

test("doesn't retry a canceled call", async () => {
  const stop = new AbortController();
  service.respondWith(() => stop.abort());
  const error = await rejection(client().charges.create(charge, { signal: stop.signal }));
  expect(error).toBeInstanceOf(OrielConnectionError);
  expect(error).toMatchObject({ code: "canceled", retries: 0, idempotencyKey: keysSeen()[0] });
  expect(service.seen).toHaveLength(1);
});

test("ends a pause immediately when canceled, and keeps the failure as the cause", async () => {
  const stop = new AbortController();
  service.respondWith(unknownOutcome({ "retry-after": "60" }));
  // The jitter is drawn right before the pause starts, so the queued abort happens during the pause. This test uses the
  // real clock.
  const random = () => {
    queueMicrotask(() => stop.abort());
    return 0.5;
  };
  const call = rejection(
    createClient({ apiUrl: service.apiUrl, secretKey, random }).charges.create(charge, { signal: stop.signal }),
  );
  expect(await call).toMatchObject({
    code: "canceled",
    status: 503,
    retries: 0,
    idempotencyKey: keysSeen()[0],
    cause: { code: "payment_outcome_unknown" },
  });
  expect(service.seen).toHaveLength(1);
});

test("sends nothing if the signal has already aborted", async () => {
  expect(await rejection(client().charges.create(charge, { signal: AbortSignal.abort() }))).toMatchObject({
    code: "canceled",
  });
  expect(service.seen).toHaveLength(0);
});
