/** A load balancer between the bank and the API processes: it sends each request to a process that responds. */
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { listenLocally } from "../../scripts/test/listen-locally.ts";
import type { ServiceProcess } from "./processes.ts";

export interface LoadBalancer {
  url: string;
  close(): Promise<void>;
}

export interface LoadBalancing {
  apis: () => readonly ServiceProcess[];
  /** For how long it looks for a process that responds, and waits for a response. Shorter than the bank's timeout. */
  withinMs: number;
  /** Where a request goes. Default: its own path. */
  pathOf?: (path: string) => string;
  /** Called before the bank gets the response. A status of 502 means that no process responded. */
  onResponse?: (body: string, status: number) => void;
}

export async function openLoadBalancer({
  apis,
  withinMs,
  pathOf = (path) => path,
  onResponse = () => {},
}: LoadBalancing): Promise<LoadBalancer> {
  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request);
      const { authorization } = request.headers;
      const headers = { "content-type": "application/json", ...(authorization === undefined ? {} : { authorization }) };
      const giveUpAt = Date.now() + withinMs;
      for (let tries = 0; Date.now() < giveUpAt; tries++) {
        const process = apis()[tries % apis().length];
        const upstream = await fetch(`${process?.apiUrl}${pathOf(request.url ?? "/")}`, {
          method: "POST",
          headers,
          body,
          signal: AbortSignal.timeout(withinMs),
        }).catch(() => null);
        if (upstream !== null && upstream.status < 500) {
          const upstreamBody = await upstream.text();
          onResponse(body, upstream.status);
          response.writeHead(upstream.status, { "content-type": "application/json" }).end(upstreamBody);
          return;
        }
        await pause(100);
      }
      onResponse(body, 502);
      response.writeHead(502).end();
    })().catch(() => response.destroy()); // the bank retries
  });
  return await listenLocally(server);
}
