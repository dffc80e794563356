/** Express 5 over HTTP: the cases of every receiver, and what only Express has. */
import { inspect } from "node:util";
import express, { type ErrorRequestHandler, type Express } from "express";
import { expect, test, vi } from "vitest";
import { deliver, eventBody, olderSecret, secret, sign } from "../test/deliver.ts";
import { listen } from "../test/listen.ts";
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
    const { origin, close } = await listen(app);
    return { url: `${origin}/webhooks/oriel`, urlBehindParser: `${origin}/behind`, errors: () => errors, close };
  },
  { whatToDo: /Register this route above app\.use\(express\.json\(\)\)/ },
);

const body = eventBody();

/** What a webhook is answered by an app of its own. */
async function answeredBy(build: (app: Express, options: { secret: string; onEvent: () => void }) => void) {
  const app = quietApp();
  let handled = 0;
  build(app, { secret, onEvent: () => void (handled += 1) });
  const { origin, close } = await listen(app);
  const { status, text } = await deliver(`${origin}/webhooks/oriel`, body, { headers: sign(body) });
  await close();
  return { status, text, handled };
}

test("takes the bytes of express.raw()", async () => {
  const answered = await answeredBy((app, options) => {
    app.post("/webhooks/oriel", express.raw({ type: "application/json" }), webhookHandler(options));
  });
  expect(answered).toMatchObject({ status: 204, handled: 1 });
});

test("takes the bytes that a platform or express.json's verify keeps as rawBody beside what it parsed", async () => {
  const answered = await answeredBy((app, options) => {
    app.use(express.json({ verify: (request, _response, bytes) => void Object.assign(request, { rawBody: bytes }) }));
    app.post("/webhooks/oriel", webhookHandler(options));
  });
  expect(answered).toMatchObject({ status: 204, handled: 1 });
});

test("waits for the body behind middleware that takes its time", async () => {
  const answered = await answeredBy((app, options) => {
    app.use((_request, _response, next) => void setTimeout(next, 20));
    app.use("/webhooks", webhookHandler(options));
  });
  expect(answered).toMatchObject({ status: 204, handled: 1 });
});

test("whoever logs the request of a body that was too large still finds its address", async () => {
  const app = quietApp();
  const addresses: unknown[] = [];
  app.use((request, response, next) => {
    response.on("finish", () => addresses.push(request.ip));
    next();
  });
  app.post("/webhooks/oriel", webhookHandler({ secret, onEvent: () => {} }));
  const { origin, close } = await listen(app);
  const large = eventBody({ bytes: maxWebhookBytes + 1 });
  expect(await deliver(`${origin}/webhooks/oriel`, large, { isEndless: true })).toMatchObject({ status: 413 });
  await vi.waitFor(() => expect(addresses).toEqual(["127.0.0.1"]));
  await close();
});

test("a text parser is a parser: its text is not the bytes that were signed", async () => {
  const answered = await answeredBy((app, options) => {
    app.post("/webhooks/oriel", express.text({ type: "application/json" }), webhookHandler(options));
  });
  expect(answered).toMatchObject({ status: 500, handled: 0 });
});

test("Express's own answer to an error that onEvent threw is 500, and its log has the cause", async () => {
  let stack: unknown;
  const answered = await answeredBy((app, { secret }) => {
    const onEvent = () => Promise.reject(Object.assign(new RangeError("no stock"), { status: 404 }));
    app.post("/webhooks/oriel", webhookHandler({ secret, onEvent }));
    app.use(((error: unknown, _request, _response, next) => {
      stack = error instanceof WebhookReceiverError ? error.stack : undefined;
      next(error);
    }) satisfies ErrorRequestHandler);
  });
  expect(answered.status).toBe(500);
  expect(stack).toMatch(
    /WebhookReceiverError: Oriel: onEvent threw for the event evt_01[^]*Caused by: RangeError: no stock/,
  );
});

test.each<[string, Record<string, unknown>, RegExp]>([
  ["no secret", { secret: undefined }, /signing secret/],
  ["no secrets", { secret: [] }, /signing secret/],
  ["a secret key", { secret: "oriel_sk_test_abc" }, /signing secret/],
  ["no function", { onEvent: undefined }, /onEvent/],
  ["a tolerance without end", { toleranceSeconds: Number.POSITIVE_INFINITY }, /toleranceSeconds/],
])("an app with %s does not start, and the secret is not repeated", (_what, wrong, message) => {
  const make = () => webhookHandler({ secret, onEvent: () => {}, ...wrong });
  expect(make).toThrow(message);
  expect(make).not.toThrow(/abc/);
});

/** An app that does not write errors to the console. */
function quietApp(): Express {
  return express().set("env", "test");
}
