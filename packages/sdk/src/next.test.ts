/** Next 16 over HTTP, with a real app in another process: the cases of every receiver, and those specific to Next. */
import { createServer } from "node:http";
import { text as readText } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { NextRequest } from "next/server.js";
import { expect, expectTypeOf, test } from "vitest";
import { listenLocally } from "../../../scripts/test/listen-locally.ts";
import { eventBody, olderSecret, parsed, secret, sign } from "../test/deliver.ts";
import { startNextApp } from "../test/next-app.ts";
import { receiverCases } from "../test/receiver-cases.ts";
import type { Event } from "./index.ts";
import { webhookHandler } from "./next.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

const route = (post: string) => `
  import { webhookHandler } from "@oriel/sdk/next";
  const handler = webhookHandler({
    secret: process.env.SHOP_WEBHOOK_SECRETS.split(" "),
    onEvent: async (event) => {
      const response = await fetch(process.env.SHOP_HANDLER_URL, { method: "POST", body: JSON.stringify(event) });
      const { trouble } = await response.json();
      if (trouble) throw Object.assign(new Error(trouble.message), trouble.fields);
    },
  });
  export const POST = ${post};
`;

receiverCases(
  async (onEvent) => {
    const server = createServer(async (request, response) => {
      const event = JSON.parse(await readText(request)) as Event; // verified by the app
      const trouble = await onEvent(event).then(
        () => null,
        (error: Error) => ({ message: error.message, fields: Object.fromEntries(Object.entries(error)) }),
      );
      response.end(JSON.stringify({ trouble }));
    });
    const outcomes = await listenLocally(server);
    const app = await startNextApp(
      {
        "package.json": '{ "private": true, "type": "module" }',
        // The SDK is TypeScript here, and packages are in the repository's root.
        "next.config.js": `export default { transpilePackages: ["@oriel/sdk"], turbopack: { root: ${JSON.stringify(root)} } };`,
        "app/webhooks/oriel/route.js": route("handler"),
        "app/behind/route.js": route("async (request) => { await request.json(); return handler(request); }"),
      },
      {
        routes: ["/webhooks/oriel", "/behind"],
        env: { SHOP_WEBHOOK_SECRETS: `${secret} ${olderSecret}`, SHOP_HANDLER_URL: outcomes.url },
      },
    );
    return {
      url: `${app.origin}/webhooks/oriel`,
      urlBehindParser: `${app.origin}/behind`,
      errors: app.log,
      async close() {
        await app.close();
        await outcomes.close();
      },
    };
  },
  { advice: /Export the result of webhookHandler as POST/ },
);

const body = eventBody();

test("returns a route handler that matches Next's types", async () => {
  const events: Event[] = [];
  const handler = webhookHandler({ secret, onEvent: (event) => events.push(event) });
  expectTypeOf(handler).toExtend<
    (request: NextRequest, context: { params: Promise<object> }) => Response | Promise<Response>
  >();
  const request = new NextRequest("https://shop.example/webhooks/oriel", { method: "POST", body, headers: sign(body) });
  expect((await handler(request)).status).toBe(204);
  expect(events).toEqual([parsed(body)]);
});

test("allows a build without the secret, and fails with advice on a webhook without it", async () => {
  const handler = webhookHandler({ secret: "", onEvent: () => {} });
  const request = new NextRequest("https://shop.example/webhooks/oriel", { method: "POST", body, headers: sign(body) });
  await expect(handler(request)).rejects.toThrow(/signing secret exactly as shown/);
});
