/** Hono 4 over HTTP: the cases of every receiver, and those specific to Hono. */
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { inspect } from "node:util";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { expect, test } from "vitest";
import { listenLocally } from "../../../scripts/test/listen-locally.ts";
import { deliver, eventBody, olderSecret, parsed, secret, sign } from "../test/deliver.ts";
import { receiverCases } from "../test/receiver-cases.ts";
import { webhookHandler } from "./hono.ts";
import type { Event } from "./index.ts";

receiverCases(
  async (onEvent) => {
    const app = new Hono<{ Variables: { parsed: unknown } }>();
    const handler = webhookHandler({ secret: [secret, olderSecret], onEvent });
    let errors = "";
    app.onError((error, c) => {
      errors += inspect(error);
      return c.text("Internal Server Error", 500);
    });
    app.all("/webhooks/oriel", handler);
    app.use("/behind", async (c, next) => {
      c.set("parsed", await c.req.json());
      await next();
    });
    app.post("/behind", handler);
    const { url: origin, close } = await serve(app);
    return { url: `${origin}/webhooks/oriel`, urlBehindParser: `${origin}/behind`, errors: () => errors, close };
  },
  { advice: /Register this route before middleware that reads the body, such as validators, c\.req\.json\(\)/ },
);

const body = eventBody();

test("works after Hono's body limit, and after middleware that reads a copy", async () => {
  const events: Event[] = [];
  const app = new Hono();
  app.use(bodyLimit({ maxSize: 100_000 }));
  app.use(async (c, next) => {
    await c.req.raw.clone().text();
    await next();
  });
  app.post("/webhooks/oriel", webhookHandler({ secret, onEvent: (event) => events.push(event) }));
  const response = await app.request("/webhooks/oriel", { method: "POST", body, headers: sign(body) });
  expect(response.status).toBe(204);
  const { url: origin, close } = await serve(app);
  expect(await deliver(`${origin}/webhooks/oriel`, body, { headers: sign(body), pieceBytes: 50 })).toMatchObject({
    status: 204,
  });
  expect(events).toEqual([parsed(body), parsed(body)]);
  await close();
});

test("doesn't let an error from onEvent choose the response", async () => {
  const app = new Hono();
  // If an error contains a response, Hono returns that response.
  const onEvent = () =>
    Promise.reject(Object.assign(new Error("taken"), { getResponse: () => new Response("", { status: 200 }) }));
  const causes: unknown[] = [];
  const handler = webhookHandler({ secret, onEvent });
  app.post("/webhooks/oriel", (c) =>
    handler(c).catch((error: unknown) => {
      causes.push(error instanceof Error ? error.cause : null, error instanceof Error && "getResponse" in error);
      throw error;
    }),
  );
  app.onError((_error, c) => c.text("", 500));
  expect((await app.request("/webhooks/oriel", { method: "POST", body, headers: sign(body) })).status).toBe(500);
  expect(causes).toEqual([expect.objectContaining({ message: "taken" }), false]);
});

test("refuses an incomplete secret when the app starts", () => {
  expect(() => webhookHandler({ secret: "whsec_", onEvent: () => {} })).toThrow(/signing secret/);
});

/** Connects Node's HTTP server to Hono's fetch, like a minimal Node adapter. */
async function serve(app: { fetch: (request: Request) => Response | Promise<Response> }) {
  const server = createServer(async (request, response) => {
    const headers = new Headers();
    for (const [name, values] of Object.entries(request.headersDistinct)) {
      for (const value of values ?? []) headers.append(name, value);
    }
    const init: RequestInit = { method: request.method ?? "GET", headers };
    if (init.method !== "GET") Object.assign(init, { body: Readable.toWeb(request), duplex: "half" });
    const result = await app.fetch(new Request(`http://${request.headers.host}${request.url}`, init));
    response.writeHead(result.status, Object.fromEntries(result.headers)).end(await result.text());
  });
  return listenLocally(server);
}
