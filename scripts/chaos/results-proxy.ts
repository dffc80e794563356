/** A load balancer between the bank and the API processes: it sends 3-D Secure results to one that responds. */
import { createServer } from "node:http";
import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import type { ServiceProcess } from "./processes.ts";

/** Shorter than the bank's timeout. */
const withinMs = 4_000;

/** @returns its URL and a function that closes it */
export async function openResultsDoor(apis: () => readonly ServiceProcess[]): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    void (async () => {
      const body = await buffer(request);
      const { authorization = "" } = request.headers;
      const giveUpAt = Date.now() + withinMs;
      for (let tries = 0; Date.now() < giveUpAt; tries++) {
        const process = apis()[tries % apis().length];
        const answer = await fetch(`${process?.apiUrl}${request.url}`, {
          method: "POST",
          headers: { authorization, "content-type": "application/json" },
          body,
          signal: AbortSignal.timeout(withinMs),
        }).catch(() => null);
        if (answer !== null && answer.status < 500) {
          response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
          return;
        }
        await pause(100);
      }
      response.writeHead(502).end();
    })().catch(() => response.destroy()); // the bank retries
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("Bug: no port");
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${address.port}`, close };
}
