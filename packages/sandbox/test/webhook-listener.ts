/** A merchant that receives webhooks: a real HTTP server on a free port. Tests can replace its response. */
import { createServer } from "node:http";
import { listenLocally } from "../../../scripts/test/listen-locally.ts";
import type { NotificationRequestItem } from "../src/adyen/messages.ts";

export interface WebhookListener {
  url: string;
  /** Parsed bodies, in order. */
  received: { live: string; notificationItems: { NotificationRequestItem: NotificationRequestItem }[] }[];
  /** Statuses of the next responses. After that, 200. */
  statuses: number[];
  /** Event codes received so far. */
  events(): string[];
  close(): Promise<void>;
}

export async function listenForWebhooks(): Promise<WebhookListener> {
  const received: WebhookListener["received"] = [];
  const statuses: number[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (part: string) => (text += part));
    request.on("end", () => {
      received.push(JSON.parse(text));
      response.writeHead(statuses.shift() ?? 200, { location: "/elsewhere" }).end("[accepted]");
    });
  });
  const { url, close } = await listenLocally(server);
  return {
    url: `${url}/webhooks`,
    received,
    statuses,
    events: () =>
      received.flatMap((body) => body.notificationItems.map((item) => item.NotificationRequestItem.eventCode)),
    close,
  };
}
