/**
 * Runs the client against an HTTP server that simulates the API. Checks the requests, and the result of every kind of
 * response.
 */
import { inspect } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type Respond,
  json,
  type FakeApi,
  refusal,
  rejection,
  secretKey,
  startPretendService,
  staySilent,
} from "../test/fake-api.ts";
import { createClient, type Oriel } from "./client.ts";
import {
  OrielApiError,
  OrielAuthenticationError,
  OrielCardError,
  OrielConnectionError,
  OrielError,
  OrielIdempotencyError,
  OrielInvalidRequestError,
  OrielRateLimitError,
} from "./oriel-error.ts";

let service: FakeApi;
let oriel: Oriel;

beforeEach(async () => {
  service = await startPretendService();
  // Retries are tested in with-retries.test.ts.
  oriel = createClient({ apiUrl: service.apiUrl, secretKey, maxRetries: 0 });
});

afterEach(async () => {
  await service.close();
});

test("creates a session with the secret key and a random idempotency key, and returns the response unchanged", async () => {
  const created = { session: { id: "cs_1" }, embed_url: "https://pay.example.com/c/cs_1#x" };
  service.respondWith(json(200, created));
  const params = { amount: 4900, currency: "eur", metadata: { order_id: "o_1" } };
  expect(await oriel.checkoutSessions.create(params)).toEqual(created);
  await oriel.checkoutSessions.create(params);
  expect(service.seen[0]).toMatchObject({
    method: "POST",
    url: "/api/v1/checkout_sessions",
    body: JSON.stringify(params),
  });
  expect(service.seen[0]?.headers).toMatchObject({
    authorization: `Bearer ${secretKey}`,
    "content-type": "application/json",
  });
  const keys = service.seen.map((request) => request.headers["idempotency-key"]);
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(new Set(keys).size).toBe(2);
});

test("sends your idempotency key unchanged", async () => {
  await oriel.charges.create(
    { amount: 1, currency: "eur", payment_method_id: "pm_1", decision_id: "dec_1" },
    { idempotencyKey: "order-5" },
  );
  expect(service.seen[0]?.headers["idempotency-key"]).toBe("order-5");
});

test("throws a card error with all fields of the response and advice", async () => {
  const declined = { type: "card_error", code: "card_declined", param: "decision_id", decline_code: "stolen_card" };
  service.respondWith(refusal(402, { ...declined, message: "The card was declined." }));
  const error = await rejection(
    oriel.charges.create(
      { amount: 1, currency: "eur", payment_method_id: "p", decision_id: "d" },
      { idempotencyKey: "k" },
    ),
  );
  expect(error).toBeInstanceOf(OrielCardError);
  expect(error).toMatchObject({
    name: "OrielCardError",
    type: "card_error",
    code: "card_declined",
    message: "The card was declined.",
    param: "decision_id",
    declineCode: "stolen_card",
    advice: "do_not_try_again",
    status: 402,
    requestId: "req_1",
    idempotencyKey: "k",
    retries: 0,
    retryAfterSeconds: null,
  });
});

test("throws a card error for a decline without a code", async () => {
  service.respondWith(refusal(402, { type: "card_error", code: "card_declined" }));
  expect(await rejection(oriel.refunds.create({ charge_id: "ch_1" }, { idempotencyKey: "k" }))).toMatchObject({
    declineCode: "generic_decline",
    advice: "try_again_later",
  });
});

test.each([
  [400, "invalid_request_error", "decision_expired", OrielInvalidRequestError],
  [401, "authentication_error", "api_key_invalid", OrielAuthenticationError],
  [422, "idempotency_error", "idempotency_key_in_use", OrielIdempotencyError],
  [429, "rate_limit_error", "rate_limited", OrielRateLimitError],
  [503, "api_error", "bank_unavailable", OrielApiError],
])("throws the error class of HTTP %i %s", async (status, type, code, ErrorClass) => {
  service.respondWith(refusal(status, { type, code }, { "retry-after": "2" }));
  const error = await rejection(oriel.charges.retrieve("ch_1"));
  expect(error).toBeInstanceOf(ErrorClass);
  expect(error).toBeInstanceOf(OrielError);
  expect(error).toMatchObject({ name: ErrorClass.name, type, code, status, param: null, retryAfterSeconds: 2 });
});

test("keeps all details of an unknown error type", async () => {
  service.respondWith(refusal(451, { type: "legal_error", code: "forbidden_here" }));
  const error = await rejection(oriel.charges.list());
  expect(error).toBeInstanceOf(OrielError);
  expect(error).toMatchObject({ name: "OrielError", type: "legal_error", code: "forbidden_here", status: 451 });
});

test.each<[string, Respond, number]>([
  ["a proxy's error page", (response) => response.writeHead(502).end("<html>Bad gateway</html>"), 502],
  ["an empty response", (response) => response.writeHead(200).end(), 200],
  ["an array instead of an object", json(200, []), 200],
  ["an unknown error format", json(400, { error: "no" }), 400],
  ["an incomplete error", json(400, { error: { type: "card_error", code: "card_declined" } }), 400],
])("reports %s as response_malformed", async (_what, respond, status) => {
  service.respondWith(respond);
  const error = await rejection(oriel.charges.list());
  expect(error).toBeInstanceOf(OrielConnectionError);
  expect(error).toMatchObject({ type: "connection_error", code: "response_malformed", status });
});

test("doesn't follow redirects, which would leak the secret key", async () => {
  service.respondWith((response) => response.writeHead(307, { location: "/elsewhere" }).end(), json(200, {}));
  expect(await rejection(oriel.charges.list())).toMatchObject({ code: "response_malformed", status: 307 });
  expect(service.seen).toHaveLength(1);
});

test("stops reading an endless response", async () => {
  service.respondWith((response) => {
    response.writeHead(200);
    const pour = () => {
      while (!response.destroyed && response.write(Buffer.alloc(1_000_000, "x")));
    };
    response.on("drain", pour);
    pour();
  });
  expect(await rejection(oriel.charges.list())).toMatchObject({ code: "response_malformed", status: 200 });
});

test("times out without a response, or if its body doesn't arrive", async () => {
  const impatient = createClient({ apiUrl: service.apiUrl, secretKey, timeoutMs: 60, maxRetries: 0 });
  service.respondWith(staySilent, (response) => void response.writeHead(200).write("{"));
  for (let call = 0; call < 2; call += 1) {
    const error = await rejection(impatient.charges.list());
    expect(error).toBeInstanceOf(OrielConnectionError);
    expect(error).toMatchObject({ type: "connection_error", code: "timeout", status: null });
  }
});

test("can be canceled", async () => {
  service.respondWith(staySilent);
  const stop = new AbortController();
  const call = rejection(oriel.charges.list({}, { signal: stop.signal }));
  stop.abort();
  expect(await call).toMatchObject({ code: "canceled" });
});

test("throws a network error if nothing is listening", async () => {
  const lost = createClient({ apiUrl: "http://127.0.0.1:9", secretKey, maxRetries: 0 });
  expect(await rejection(lost.charges.list())).toMatchObject({
    type: "connection_error",
    code: "network",
    status: null,
  });
});

test("keeps the secret key out of errors and the logged client", async () => {
  const errors: unknown[] = [];
  service.respondWith(refusal(401, { type: "authentication_error", code: "api_key_invalid" }));
  errors.push(await rejection(oriel.charges.list()));
  errors.push(await rejection(createClient({ apiUrl: "http://127.0.0.1:9", secretKey, maxRetries: 0 }).charges.list()));
  for (const picture of [
    inspect(oriel, { depth: 9, showHidden: true }),
    JSON.stringify(oriel),
    ...errors.map((error) => inspect(error)),
  ]) {
    expect(picture).not.toContain(secretKey);
  }
});

test.each<[string, Record<string, unknown>]>([
  ["no URL", { apiUrl: undefined }],
  ["a URL with a path", { apiUrl: "https://api.example.com/api/v1" }],
  ["a URL with a user name", { apiUrl: "https://user@api.example.com" }],
  ["an invalid URL", { apiUrl: "api.example.com" }],
  ["another scheme", { apiUrl: "ftp://api.example.com" }],
  ["no key", { secretKey: undefined }],
  ["a publishable key", { secretKey: "oriel_pk_test_abc" }],
  ["a key with a newline", { secretKey: `${secretKey}\nx-evil: 1` }],
  ["a key in quotation marks", { secretKey: `"${secretKey}"` }],
  ["no timeout", { timeoutMs: 0 }],
  ["an infinite timeout", { timeoutMs: Number.POSITIVE_INFINITY }],
  ["no total timeout", { totalTimeoutMs: 0 }],
  ["a total timeout over the limit", { totalTimeoutMs: 600_001 }],
])("refuses to create a client with %s, without repeating the key", (_what, wrong) => {
  const make = () => createClient({ apiUrl: "https://api.example.com", secretKey, ...wrong });
  expect(make).toThrow(TypeError);
  expect(make).not.toThrow(/abc|evil/);
});

test.each(["", "../charges", "ch_1/capture", "ch_1?x=1", "ch 1", "x".repeat(101)])(
  "refuses %j as an ID and sends nothing",
  async (id) => {
    await expect(oriel.charges.retrieve(id)).rejects.toThrow(TypeError);
    await expect(oriel.charges.capture(id)).rejects.toThrow(TypeError);
    await expect(oriel.webhookEndpoints.update(id, {})).rejects.toThrow(TypeError);
    await expect(oriel.webhookEndpoints.del(id)).rejects.toThrow(TypeError);
    expect(service.seen).toHaveLength(0);
  },
);

test.each(["", "two words", "line\nbreak", "ü", "x".repeat(256)])(
  "refuses %j as an idempotency key and sends nothing",
  async (idempotencyKey) => {
    await expect(oriel.checkoutSessions.create({ amount: 1, currency: "eur" }, { idempotencyKey })).rejects.toThrow(
      TypeError,
    );
    expect(service.seen).toHaveLength(0);
  },
);
