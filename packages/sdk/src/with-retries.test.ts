/**
 * Retries against an HTTP server that misbehaves: what is sent again, how often, under which key, and after how long.
 */
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type Answer,
  fakeClock,
  type FakeClock,
  hangUp,
  json,
  type PretendService,
  refusal,
  rejection,
  secretKey,
  startPretendService,
  staySilent,
} from "../test/pretend-service.ts";
import { createClient } from "./client.ts";
import type { ClientOptions } from "./client-options.ts";
import { OrielApiError, OrielConnectionError, OrielError, OrielRateLimitError } from "./oriel-error.ts";

const charge = { amount: 4900, currency: "eur", payment_method_id: "pm_1", decision_id: "dec_1" };
const unknownOutcome = (headers?: Record<string, string>) =>
  refusal(503, { type: "api_error", code: "payment_outcome_unknown" }, headers);
const done = json(200, { id: "ch_1" });

let service: PretendService;
let clock: FakeClock;

beforeEach(async () => {
  service = await startPretendService();
  clock = fakeClock();
});

afterEach(async () => {
  await service.close();
});

/** A client whose jitter is always half of what it may be. */
function client(options: Partial<ClientOptions> = {}) {
  return createClient({ apiUrl: service.apiUrl, secretKey, clock, random: () => 0.5, ...options });
}

const keysSeen = () => service.seen.map((request) => request.headers["idempotency-key"]);

test.each<[string, Answer]>([
  ["a connection that breaks after the request was read", hangUp],
  [
    "a connection that breaks in the middle of the answer",
    (response) => void response.writeHead(200).write("{", () => response.destroy()),
  ],
  ["an unknown outcome", unknownOutcome()],
  [
    "a request under the same key that still runs",
    refusal(503, { type: "api_error", code: "idempotent_request_in_progress" }),
  ],
  ["a fault of the service's", refusal(500, { type: "api_error", code: "internal_error" })],
  ["a proxy's page about a bad gateway", (response) => void response.writeHead(502).end("<html>")],
  ["too many requests", refusal(429, { type: "rate_limit_error", code: "rate_limited" })],
  ["a proxy's page about too many requests", (response) => void response.writeHead(429).end("<html>")],
])("after %s the same bytes are sent again under the same key, until it works", async (_what, trouble) => {
  service.answerWith(trouble, trouble, done);
  expect(await client().charges.create(charge)).toEqual({ id: "ch_1" });
  expect(service.seen).toHaveLength(3);
  expect(keysSeen()[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(new Set(keysSeen()).size).toBe(1);
  expect(new Set(service.seen.map(({ method, url, body }) => `${method} ${url} ${body}`))).toEqual(
    new Set([`POST /api/v1/charges ${JSON.stringify(charge)}`]),
  );
});

test("after silence the same is sent again under the same key", async () => {
  service.answerWith(staySilent, done);
  expect(await client({ timeoutMs: 100 }).charges.create(charge, { idempotencyKey: "order-5" })).toEqual({
    id: "ch_1",
  });
  expect(service.seen.length).toBeGreaterThan(1); // More than two where this machine is slower than the timeout.
  expect(new Set(keysSeen())).toEqual(new Set(["order-5"]));
});

test("reads are sent again too, without a key", async () => {
  service.answerWith(hangUp, unknownOutcome(), done);
  expect(await client().charges.retrieve("ch_1")).toEqual({ id: "ch_1" });
  expect(service.seen.map(({ method }) => method)).toEqual(["GET", "GET", "GET"]);
  expect(keysSeen()).toEqual([undefined, undefined, undefined]);
});

test("a change and a deletion are sent again too, without a key", async () => {
  service.answerWith(hangUp, done, unknownOutcome(), done);
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

test("after three retries the last failure is thrown, with how often and under which key it was sent", async () => {
  service.answerWith(hangUp, unknownOutcome());
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

test.each<[string, Answer]>([
  ["a decline", refusal(402, { type: "card_error", code: "card_declined", decline_code: "issuer_not_available" })],
  [
    "a decline that says when to come back",
    refusal(402, { type: "card_error", code: "card_declined" }, { "retry-after": "1" }),
  ],
  ["a mistake in the request", refusal(400, { type: "invalid_request_error", code: "parameter_missing" })],
  ["a charge that is busy", refusal(400, { type: "invalid_request_error", code: "charge_operation_in_progress" })],
  ["a wrong key", refusal(401, { type: "authentication_error", code: "api_key_invalid" })],
  ["nothing there", refusal(404, { type: "invalid_request_error", code: "resource_missing" })],
  ["a key that is taken", refusal(422, { type: "idempotency_error", code: "idempotency_key_in_use" })],
  ["a proxy's time-out of its own", (response) => void response.writeHead(408).end()],
  ["a redirect", (response) => void response.writeHead(307, { location: "/elsewhere" }).end()],
  ["a success that is not JSON", (response) => void response.writeHead(200).end("<html>")],
])("%s is not sent again", async (_what, answer) => {
  service.answerWith(answer, done);
  const error = await rejection(client().charges.create(charge));
  expect(error).toBeInstanceOf(OrielError);
  expect(error).toMatchObject({ retries: 0 });
  expect(service.seen).toHaveLength(1);
  expect(clock.pauses).toEqual([]);
});

test("a decline after a broken connection ends the retries", async () => {
  service.answerWith(
    hangUp,
    refusal(402, { type: "card_error", code: "card_declined", decline_code: "do_not_honor" }),
    done,
  );
  expect(await rejection(client().charges.create(charge))).toMatchObject({ declineCode: "do_not_honor", retries: 1 });
  expect(service.seen).toHaveLength(2);
});

test("retries can be switched off, or limited, for a client and for a call; the call's word counts", async () => {
  service.answerWith(unknownOutcome());
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
    const wrong = maxRetries as number; // The types forbid it; callers without types do it.
    expect(() => client({ maxRetries: wrong })).toThrow(TypeError);
    await expect(client().charges.list({}, { maxRetries: wrong })).rejects.toThrow(TypeError);
    expect(service.seen).toHaveLength(0);
  },
);

test("pauses double from half a second to eight, each somewhere between nothing and that", async () => {
  service.answerWith(unknownOutcome());
  await rejection(client({ maxRetries: 7, random: () => 0.999 }).charges.list());
  expect(clock.pauses.map(Math.round)).toEqual([500, 999, 1998, 3996, 7992, 7992, 7992]);
  clock.pauses.length = 0;
  await rejection(client({ maxRetries: 3, random: () => 0 }).charges.list());
  expect(clock.pauses).toEqual([0, 0, 0]);
});

test("Retry-After is waited out, and the jitter comes after it", async () => {
  const limited = (seconds: string) =>
    refusal(429, { type: "rate_limit_error", code: "rate_limited" }, { "retry-after": seconds });
  service.answerWith(limited("7"), limited("0"), done);
  await client().charges.create(charge);
  expect(clock.pauses).toEqual([7_000 + 250, 500]);
});

test("Retry-After as a date counts from the answer's own date; what is neither is passed over", async () => {
  const date = "Fri, 20 Nov 2026 08:00:00 GMT";
  service.answerWith(
    unknownOutcome({ date, "retry-after": "Fri, 20 Nov 2026 08:00:05 GMT" }),
    unknownOutcome({ date, "retry-after": "Fri, 20 Nov 2026 07:00:00 GMT" }),
    unknownOutcome({ "retry-after": "soon" }),
    done,
  );
  await client().charges.create(charge);
  expect(clock.pauses).toEqual([5_000 + 250, 500, 1_000]);
});

test("a Retry-After beyond the call's time is not waited for: the failure comes at once and says it", async () => {
  service.answerWith(refusal(429, { type: "rate_limit_error", code: "rate_limited" }, { "retry-after": "3600" }));
  const error = await rejection(client().charges.create(charge));
  expect(error).toBeInstanceOf(OrielRateLimitError);
  expect(error).toMatchObject({ retries: 0, retryAfterSeconds: 3600 });
  expect(service.seen).toHaveLength(1);
  expect(clock.pauses).toEqual([]);
});

test("the whole call has an end, however many retries are left", async () => {
  service.answerWith(unknownOutcome({ "retry-after": "4" }));
  const error = await rejection(
    client({ totalTimeoutMs: 10_000, maxRetries: 10, random: () => 0 }).charges.create(charge),
  );
  expect(error).toMatchObject({ code: "payment_outcome_unknown", retries: 2 });
  expect(clock.pauses).toEqual([4_000, 4_000]);
});

test("what is left of the whole call's time ends a request that would be given more", async () => {
  service.answerWith(unknownOutcome({ "retry-after": "1" }), staySilent);
  const error = await rejection(
    client({ timeoutMs: 600_000, totalTimeoutMs: 1_050, maxRetries: 1, random: () => 0 }).charges.list(),
  );
  expect(error).toMatchObject({ code: "timeout", message: "No answer within 50 ms.", retries: 1 });
});

test("what the caller gives up is not sent again, though the connection breaks by it", async () => {
  const stop = new AbortController();
  service.answerWith(() => stop.abort());
  const error = await rejection(client().charges.create(charge, { signal: stop.signal }));
  expect(error).toBeInstanceOf(OrielConnectionError);
  expect(error).toMatchObject({ code: "canceled", retries: 0, idempotencyKey: keysSeen()[0] });
  expect(service.seen).toHaveLength(1);
});

test("giving up ends a pause at once, and the failure before it stays readable", async () => {
  const stop = new AbortController();
  service.answerWith(unknownOutcome({ "retry-after": "60" }));
  // The jitter is drawn right before the pause begins, so what it queues runs within the pause. The clock is the
  // runtime's.
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

test("a signal that was aborted before sends nothing", async () => {
  expect(await rejection(client().charges.create(charge, { signal: AbortSignal.abort() }))).toMatchObject({
    code: "canceled",
  });
  expect(service.seen).toHaveLength(0);
});
