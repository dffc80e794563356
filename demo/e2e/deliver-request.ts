/** Sends a page's request to the service in place of the browser, to lose or to delay the response. */
import { request as send } from "node:http";
import type { Request, Route } from "@playwright/test";
import { ports } from "./urls.ts";

/** The service gets it, but the browser doesn't get the response. */
export async function forwardAndAbort(route: Route): Promise<void> {
  await deliver(route.request());
  await route.abort();
}

/** Sends the page's request to the service over another connection. */
export async function deliver(held: Request | null): Promise<{ status: number | undefined; body: unknown }> {
  if (!held) throw new Error("Bug: no request to deliver");
  const { host, pathname } = new URL(held.url());
  const headers = { ...(await held.allHeaders()), host };
  return new Promise((resolve, reject) => {
    const sent = send(
      { host: "127.0.0.1", port: ports.service, method: "POST", path: pathname, headers },
      (incoming) => {
        const parts: Buffer[] = [];
        incoming.on("data", (part: Buffer) => parts.push(part));
        incoming.on("end", () =>
          resolve({ status: incoming.statusCode, body: JSON.parse(Buffer.concat(parts).toString("utf8")) }),
        );
      },
    );
    sent.on("error", reject);
    sent.end(held.postData());
  });
}
