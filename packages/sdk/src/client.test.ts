/** The client against an HTTP server that plays the API: what goes over the wire, and what comes of every kind of answer. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createClient, type Oriel } from "./client.ts";
import { OrielError } from "./oriel-error.ts";

const secretKey = "oriel_sk_test_abcdefghijklmnopqrstuvwxyz0123456789";

interface Seen {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage["headers"];
  body: string;
}

let seen: Seen[];
let answer: (response: ServerResponse, request: Seen) => void;
let apiUrl: string;
let oriel: Oriel;
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => (body += chunk));
  request.on("end", () => {
    const { method, url, headers } = request;
    seen.push({ method, url, headers, body });
    answer(response, { method, url, headers, body });
  });
});

beforeEach(async () => {
  seen = [];
  answer = (response) => json(response, 200, { id: "x" });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // A server that listens on a port has such an address.
  oriel = createClient({ apiUrl, secretKey });
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", "request-id": "req_1", ...headers }).end(JSON.stringify(body));
}

async function failure(promise: Promise<unknown>): Promise<OrielError> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof OrielError)) throw new Error("expected an OrielError");
  return error;
}

test("creating a session posts JSON with the key and a fresh idempotency key, and gives back the answer as it came", async () => {
  const created = { session: { id: "cs_1" }, embed_url: "https://pay.example.com/c/cs_1#x" };
  answer = (response) => json(response, 200, created);
  const params = { amount: 4900, currency: "eur", metadata: { order_id: "o_1" } };
  expect(await oriel.checkoutSessions.create(params)).toEqual(created);
  await oriel.checkoutSessions.create(params);
  expect(seen[0]).toMatchObject({ method: "POST", url: "/api/v1/checkout_sessions", body: JSON.stringify(params) });
  expect(seen[0]?.headers).toMatchObject({ authorization: `Bearer ${secretKey}`, "content-type": "application/json" });
  const keys = seen.map((request) => request.headers["idempotency-key"]);
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(new Set(keys).size).toBe(2);
});

test("your own idempotency key is sent as it is", async () => {
  await oriel.charges.create(
    { amount: 1, currency: "eur", payment_method_id: "pm_1", decision_id: "dec_1" },
    { idempotencyKey: "order-5" },
  );
  expect(seen[0]?.headers["idempotency-key"]).toBe("order-5");
});

test.each<[string, (client: Oriel) => Promise<unknown>, string, string]>([
  ["checkoutSessions.retrieve", (client) => client.checkoutSessions.retrieve("cs_1"), "GET", "/api/v1/checkout_sessions/cs_1"],
  ["charges.retrieve", (client) => client.charges.retrieve("ch_1"), "GET", "/api/v1/charges/ch_1"],
  ["charges.list", (client) => client.charges.list(), "GET", "/api/v1/charges"],
  [
    "charges.list of a decision",
    (client) => client.charges.list({ decision_id: "dec_1", limit: 5, starting_after: "ch_1" }),
    "GET",
    "/api/v1/charges?decision_id=dec_1&limit=5&starting_after=ch_1",
  ],
  [
    "decisions.create",
    (client) => client.decisions.create({ payment_method_id: "pm_1", amount: 1, currency: "eur" }),
    "POST",
    "/api/v1/decisions",
  ],
  ["decisions.retrieve", (client) => client.decisions.retrieve("dec_1"), "GET", "/api/v1/decisions/dec_1"],
  ["events.retrieve", (client) => client.events.retrieve("evt_1"), "GET", "/api/v1/events/evt_1"],
  [
    "events.list",
    (client) => client.events.list({ type: "payment.succeeded", starting_after: "evt_1" }),
    "GET",
    "/api/v1/events?type=payment.succeeded&starting_after=evt_1",
  ],
  [
    "webhookEndpoints.create",
    (client) => client.webhookEndpoints.create({ url: "https://shop.example/hook" }),
    "POST",
    "/api/v1/webhook_endpoints",
  ],
  ["checkoutSessions.list", (client) => client.checkoutSessions.list({ limit: 2 }), "GET", "/api/v1/checkout_sessions?limit=2"],
  ["webhookEndpoints.retrieve", (client) => client.webhookEndpoints.retrieve("we_1"), "GET", "/api/v1/webhook_endpoints/we_1"],
  ["webhookEndpoints.list", (client) => client.webhookEndpoints.list({ limit: 1 }), "GET", "/api/v1/webhook_endpoints?limit=1"],
])("%s", async (_name, call, method, url) => {
  await call(oriel);
  expect(seen).toHaveLength(1);
  expect(seen[0]).toMatchObject({ method, url });
  expect(seen[0]?.headers.authorization).toBe(`Bearer ${secretKey}`);
  expect("idempotency-key" in (seen[0]?.headers ?? {})).toBe(method === "POST");
});

test("a refusal becomes an error with every field of the envelope", async () => {
  answer = (response) =>
    json(response, 402, {
      error: {
        type: "card_error",
        code: "card_declined",
        message: "The bank declined.",
        param: "decision_id",
        decline_code: "insufficient_funds",
      },
    });
  const error = await failure(
    oriel.charges.create({ amount: 1, currency: "eur", payment_method_id: "p", decision_id: "d" }, { idempotencyKey: "k" }),
  );
  expect(error).toMatchObject({
    name: "OrielError",
    type: "card_error",
    code: "card_declined",
    message: "The bank declined.",
    param: "decision_id",
    declineCode: "insufficient_funds",
    status: 402,
    requestId: "req_1",
    idempotencyKey: "k",
  });
  expect(seen).toHaveLength(1);
});

test("nothing is retried, and the error says under which key the call can be sent again", async () => {
  answer = (response) =>
    json(response, 503, { error: { type: "api_error", code: "payment_outcome_unknown", message: "Ask again." } });
  const error = await failure(oriel.decisions.create({ payment_method_id: "pm_1", amount: 1, currency: "eur" }));
  expect(error).toMatchObject({
    type: "api_error",
    code: "payment_outcome_unknown",
    status: 503,
    param: null,
    declineCode: null,
  });
  expect(seen).toHaveLength(1);
  expect(error.idempotencyKey).toBe(seen[0]?.headers["idempotency-key"]);
});

test.each<[string, (response: ServerResponse) => void, number]>([
  ["a proxy's page", (response) => response.writeHead(502).end("<html>Bad gateway</html>"), 502],
  ["an empty answer", (response) => response.writeHead(200).end(), 200],
  ["a list where an object belongs", (response) => json(response, 200, []), 200],
  ["another envelope", (response) => json(response, 400, { error: "no" }), 400],
])("%s is no answer of the API's", async (_what, reply, status) => {
  answer = reply;
  expect(await failure(oriel.charges.list())).toMatchObject({ type: "connection_error", code: "response_malformed", status });
});

test("a redirect is not followed, for it would carry the key elsewhere", async () => {
  answer = (response, { url }) =>
    url === "/api/v1/charges" ? response.writeHead(307, { location: "/elsewhere" }).end() : json(response, 200, {});
  expect(await failure(oriel.charges.list())).toMatchObject({ type: "connection_error", code: "network" });
  expect(seen).toHaveLength(1);
});

test("an answer without end is not read to its end", async () => {
  answer = (response) => {
    response.writeHead(200);
    const pour = () => {
      while (!response.destroyed && response.write(Buffer.alloc(1_000_000, "x")));
    };
    response.on("drain", pour);
    pour();
  };
  expect(await failure(oriel.charges.list())).toMatchObject({ code: "network" });
});

test("silence ends in a timeout, also when only the body is missing", async () => {
  const hasty = createClient({ apiUrl, secretKey, timeoutMs: 60 });
  answer = () => {};
  expect(await failure(hasty.charges.list())).toMatchObject({ type: "connection_error", code: "timeout", status: null });
  answer = (response) => void response.writeHead(200).write("{");
  expect(await failure(hasty.charges.list())).toMatchObject({ code: "timeout" });
});

test("a call can be given up", async () => {
  answer = () => {};
  const stop = new AbortController();
  const call = failure(oriel.charges.list({}, { signal: stop.signal }));
  stop.abort();
  expect(await call).toMatchObject({ code: "canceled" });
});

test("nobody listening is a network error", async () => {
  const lost = createClient({ apiUrl: "http://127.0.0.1:9", secretKey });
  expect(await failure(lost.charges.list())).toMatchObject({ type: "connection_error", code: "network", status: null });
});

test("the secret key is in no error and in no picture of the client", async () => {
  const errors: unknown[] = [];
  answer = (response) =>
    json(response, 401, { error: { type: "authentication_error", code: "api_key_invalid", message: "Unknown key." } });
  errors.push(await failure(oriel.charges.list()));
  errors.push(await failure(createClient({ apiUrl: "http://127.0.0.1:9", secretKey }).charges.list()));
  for (const picture of [
    inspect(oriel, { depth: 9, showHidden: true }),
    JSON.stringify(oriel),
    ...errors.map((error) => inspect(error)),
  ]) {
    expect(picture).not.toContain(secretKey);
  }
});

test.each<[string, Record<string, unknown>]>([
  ["no address", { apiUrl: undefined }],
  ["an address with a path", { apiUrl: "https://api.example.com/api/v1" }],
  ["an address with a user", { apiUrl: "https://user@api.example.com" }],
  ["an address that is none", { apiUrl: "api.example.com" }],
  ["another scheme", { apiUrl: "ftp://api.example.com" }],
  ["no key", { secretKey: undefined }],
  ["a publishable key", { secretKey: "oriel_pk_test_abc" }],
  ["a key that breaks a header", { secretKey: `${secretKey}\nx-evil: 1` }],
  ["a key in quotation marks", { secretKey: `"${secretKey}"` }],
  ["no time", { timeoutMs: 0 }],
  ["no end of time", { timeoutMs: Number.POSITIVE_INFINITY }],
])("refuses to be made with %s, without repeating the key", (_what, wrong) => {
  const make = () => createClient({ apiUrl: "https://api.example.com", secretKey, ...wrong });
  expect(make).toThrow(TypeError);
  expect(make).not.toThrow(/abc|evil/);
});

test.each(["", "../charges", "ch_1/capture", "ch_1?x=1", "ch 1", "x".repeat(101)])(
  "refuses %j as an id and sends nothing",
  async (id) => {
    await expect(oriel.charges.retrieve(id)).rejects.toThrow(TypeError);
    expect(seen).toHaveLength(0);
  },
);

test.each(["", "two words", "line\nbreak", "ü", "x".repeat(256)])(
  "refuses %j as an idempotency key and sends nothing",
  async (idempotencyKey) => {
    await expect(oriel.checkoutSessions.create({ amount: 1, currency: "eur" }, { idempotencyKey })).rejects.toThrow(TypeError);
    expect(seen).toHaveLength(0);
  },
);
