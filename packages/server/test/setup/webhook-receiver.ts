/**
 * A merchant's server that receives webhooks: stores the bytes and headers of each, and responds as a test tells it to.
 */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { until } from "./until.ts";

export interface ReceivedWebhook {
  path: string;
  headers: Record<string, string>;
  body: string;
}

export interface WebhookReceiver {
  url: string;
  received: ReceivedWebhook[];
  /** How it responds to webhooks. By default, it returns 200. */
  react: (webhook: ReceivedWebhook, response: ServerResponse) => void;
  /** The webhooks sent to a path, once there are `count`. */
  at(path: string, count: number): Promise<ReceivedWebhook[]>;
  close(): Promise<void>;
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const server = createServer((request, response) => {
    void (async () => {
      const { url: path = "" } = request;
      const webhook = { path, headers: flat(request.headers), body: await text(request) };
      receiver.received.push(webhook);
      receiver.react(webhook, response);
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("Bug: no port");

  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${address.port}`,
    received: [],
    react: (_webhook, response) => void response.end("ok"),
    at: (path, count) =>
      until(`${count} webhooks at ${path}`, () => {
        const there = receiver.received.filter((webhook) => webhook.path === path);
        return there.length >= count ? there : null;
      }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return receiver;
}

function flat(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
