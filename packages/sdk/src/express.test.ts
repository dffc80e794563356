/** Express 5 over HTTP: the cases of every receiver, and those specific to Express. */
import { createServer } from "node:http";
import { inspect } from "node:util";
import express, { type ErrorRequestHandler, type Express } from "express";
import { expect, test, vi } from "vitest";
import { listenLocally } from "../../../scripts/test/listen-locally.ts";
import { deliver, eventBody, olderSecret, secret, sign } from "../test/deliver.ts";
import { receiverCases } from "../test/receiver-cases.ts";
import { WebhookReceiverError, webhookHandler } from "./express.ts";
import { maxWebhookBytes } from "./verify-webhook.ts";

receiverCases(
  async (onEvent) => {
    const app = quietApp();
    const handler = webhookHandler({ secret: [secret, olderSecret], onEvent });
    let errors = "";
    app.all("/webhooks/oriel", handler);
    app.use(express.json());
    app.post("/behind", handler);
    app.use(((error, _request, _response, next) => {
      errors += inspect(error);
      next(error);
    }) satisfies ErrorRequestHandler);
    const { url: origin, close } = await listenLocally(createServer(app));
    return { url: `${origin}/webhooks/oriel`, urlBehindParser: `${origin}/behind`, errors: () => errors, close };
  },
  { advice: /Register this route before app\.use\(express\.json\(\)\)/ },
);

const body = eventBody();

/** Sends a webhook to a new app and returns the response. */
async function responseOf(build: (app: Express, options: { secret: string; onEvent: () => void }) => void) {
  const app = quietApp();
  let handled = 0;
  build(app, { secret, onEvent: () => void (handled += 1) });
  const { url: origin, close } = await listenLocally(createServer(app));
  const { status, text } = await deliver(`${origin}/webhooks/oriel`, body, { headers: sign(body) });
  await close();
  return { status, text, handled };
}

test("accepts the bytes of express.raw()", async () => {
  const response = await responseOf((app, options) => {
    app.post("/webhooks/oriel", express.raw({ type: "application/json" }), webhookHandler(options));
  });
  expect(response).toMatchObject({ status: 204, handled: 1 });
});

test("accepts the bytes that a platform or express.json's verify option stores as rawBody", async () => {
  const response = await responseOf((app, options) => {
    app.use(express.json({ verify: (request, _response, bytes) => void Object.assign(request, { rawBody: bytes }) }));
    app.post("/webhooks/oriel", webhookHandler(options));
  });
  expect(response).toMatchObject({ status: 204, handled: 1 });
});

test("waits for the body after slow middleware", async () => {
  const response = await responseOf((app, options) => {
    app.use((_request, _response, next) => void setTimeout(next, 20));
    app.use("/webhooks", webhookHandler(options));
  });
  expect(response).toMatchObject({ status: 204, handled: 1 });
});

test("keeps the client's IP address available to loggers after a body that's too large", async () => {
  const app = quietApp();
  const addresses: unknown[] = [];
  app.use((request, response, next) => {
    response.on("finish", () => addresses.push(request.ip));
    next();
  });
  app.post("/webhooks/oriel", webhookHandler({ secret, onEvent: () => {} }));
  const { url: origin, close } = await listenLocally(createServer(app));
  const large = eventBody({ bytes: maxWebhookBytes + 1 });
  expect(await deliver(`${origin}/webhooks/oriel`, large, { isEndless: true })).toMatchObject({ status: 413 });
  await vi.waitFor(() => expect(addresses).toEqual(["127.0.0.1"]));
  await close();
});

test("fails after a text parser, because text isn't the signed bytes", async () => {
  const response = await responseOf((app, options) => {
    app.post("/webhooks/oriel", express.text({ type: "application/json" }), webhookHandler(options));
  });
  expect(response).toMatchObject({ status: 500, handled: 0 });
});

test("returns 500 if onEvent throws, and Express logs the cause", async () => {
  let stack: unknown;
  const response = await responseOf((app, { secret }) => {
    const onEvent = () => Promise.reject(Object.assign(new RangeError("no stock"), { status: 404 }));
    app.post("/webhooks/oriel", webhookHandler({ secret, onEvent }));
    app.use(((error: unknown, _request, _response, next) => {
      stack = error instanceof WebhookReceiverError ? error.stack : undefined;
      next(error);
    }) satisfies ErrorRequestHandler);
  });
  expect(response.status).toBe(500);
  expect(stack).toMatch(
    /WebhookReceiverError: Oriel: onEvent threw an error for event evt_01[^]*Caused by: RangeError: no stock/,
  );
});

test.each<[string, Record<string, unknown>, RegExp]>([
  ["no secret", { secret: undefined }, /signing secret/],
  ["an empty list of secrets", { secret: [] }, /signing secret/],
  ["a secret key", { secret: "oriel_sk_test_abc" }, /signing secret/],
  ["no onEvent", { onEvent: undefined }, /onEvent/],
  ["an infinite tolerance", { toleranceSeconds: Number.POSITIVE_INFINITY }, /toleranceSeconds/],
])("refuses %s when the app starts, without repeating the secret", (_what, wrong, message) => {
  const make = () => webhookHandler({ secret, onEvent: () => {}, ...wrong });
  expect(make).toThrow(message);
  expect(make).not.toThrow(/abc/);
});

/** An app that doesn't log errors to the console. */
function quietApp(): Express {
  return express().set("env", "test");
}
