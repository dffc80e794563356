/**
 * A merchant's server that receives webhooks: stores the bytes and headers of each, and responds as a test tells it to.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { listenLocally } from "../../../../scripts/test/listen-locally.ts";
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
  const { url, close } = await listenLocally(server);

  const receiver: WebhookReceiver = {
    url,
    received: [],
    react: (_webhook, response) => void response.end("ok"),
    at: (path, count) =>
      until(`${count} webhooks at ${path}`, () => {
        const there = receiver.received.filter((webhook) => webhook.path === path);
        return there.length >= count ? there : null;
      }),
    close,
  };
  return receiver;
}

function flat(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
