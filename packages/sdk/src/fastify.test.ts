/** Fastify 5 over HTTP: the cases of every receiver, and those specific to Fastify. */
import { inspect } from "node:util";
import express from "express";
import Fastify from "fastify";
import { expect, test } from "vitest";
import { deliver, eventBody, olderSecret, parsed, secret, sign } from "../test/deliver.ts";
import { receiverCases } from "../test/receiver-cases.ts";
import { webhookRoute } from "./fastify.ts";
import type { Event } from "./index.ts";

const parseJson = express.json();

receiverCases(
  async (onEvent) => {
    const app = Fastify();
    const options = { secret: [secret, olderSecret], onEvent };
    let errors = "";
    app.addHook("onError", async (_request, _reply, error) => void (errors += inspect(error)));
    app.register(webhookRoute, { path: "/webhooks/oriel", ...options });
    app.register(async (scope) => {
      // as @fastify/express runs middleware
      scope.addHook("onRequest", (request, reply, done) =>
        parseJson(
          Object.assign(request.raw, { body: undefined }) as express.Request,
          reply.raw as express.Response,
          () => done(),
        ),
      );
      scope.register(webhookRoute, { path: "/behind", ...options });
    });
    const origin = await app.listen({ port: 0, host: "127.0.0.1" });
    return {
      url: `${origin}/webhooks/oriel`,
      urlBehindParser: `${origin}/behind`,
      errors: () => errors,
      close: () => app.close(),
    };
  },
  {
    advice: /On the path of webhookRoute, don't run hooks or middleware that read the body, such as express\.json\(\)/,
  },
);

const body = eventBody();

test("leaves JSON parsing of the rest of the app unchanged", async () => {
  const events: Event[] = [];
  const app = Fastify();
  app.post("/before", async (request) => request.body);
  app.register(webhookRoute, { path: "/webhooks/oriel", secret, onEvent: (event) => events.push(event) });
  app.post("/after", async (request) => request.body);
  const origin = await app.listen({ port: 0, host: "127.0.0.1" });
  for (const path of ["/before", "/after"]) {
    expect(JSON.parse((await deliver(`${origin}${path}`, '{"a":1}')).text)).toEqual({ a: 1 });
  }
  expect(await deliver(`${origin}/webhooks/oriel`, body, { headers: sign(body) })).toMatchObject({ status: 204 });
  expect(events).toEqual([parsed(body)]);
  await app.close();
});

test("detects a hook that replaced the bytes with a parsed body", async () => {
  const app = Fastify();
  let handled = 0;
  app.addHook("preValidation", async (request) => void (request.body = { parsed: true }));
  app.register(webhookRoute, { path: "/webhooks/oriel", secret, onEvent: () => (handled += 1) });
  const origin = await app.listen({ port: 0, host: "127.0.0.1" });
  const { status, text } = await deliver(`${origin}/webhooks/oriel`, body, { headers: sign(body) });
  expect({ status, handled }).toEqual({ status: 500, handled: 0 });
  expect(text).toMatch(/don't run hooks/);
  await app.close();
});

test("fails when the app starts without a secret", async () => {
  const app = Fastify();
  app.register(webhookRoute, { path: "/webhooks/oriel", secret: "", onEvent: () => {} });
  await expect(app.ready()).rejects.toThrow(/signing secret/);
  await app.close();
});
