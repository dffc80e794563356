/**
 * The listener for operators, in every role: `/metrics` for Prometheus, and `/livez` and `/readyz` for whatever
 * supervises the process. It's separate from the API's, so that metrics aren't public and a worker has probes too.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { Config } from "../platform/config.ts";
import type { Log } from "../platform/log.ts";
import { stackOf } from "../platform/stack-of.ts";
import type { Readiness } from "./readiness.ts";
import type { Telemetry } from "./telemetry.ts";

const maxConnections = 64;
const requestMs = 10_000;

/** @returns a function that closes the listener */
export async function openMetricsListener(
  { host, port }: NonNullable<Config["metrics"]>,
  { telemetry, readiness, log }: { telemetry: Telemetry; readiness: Readiness; log: Log },
): Promise<() => Promise<void>> {
  const server = createServer({ requestTimeout: requestMs, headersTimeout: requestMs }, (request, response) => {
    const send = (code: number, type: string, body: string) =>
      response.writeHead(code, { "content-type": type, "cache-control": "no-store" }).end(body);
    const sendJson = (code: number, body: object) =>
      send(code, "application/json; charset=utf-8", JSON.stringify(body));
    if (request.method !== "GET" && request.method !== "HEAD")
      return void sendJson(405, { status: "method_not_allowed" });
    respond().catch((error: unknown) => {
      log.error({ error: stackOf(error) }, "A request to the metrics port failed");
      sendJson(500, { status: "error" });
    });

    async function respond(): Promise<void> {
      const [path = ""] = (request.url ?? "").split("?", 1);
      switch (path) {
        case "/metrics":
          send(200, telemetry.metrics.registry.contentType, await telemetry.scrape());
          return;
        case "/livez":
          sendJson(200, { status: "ok" });
          return;
        case "/readyz": {
          const { code, body } = await readiness.check();
          sendJson(code, body);
          return;
        }
        default:
          sendJson(404, { status: "not_found" });
      }
    }
  });
  server.maxConnections = maxConnections;
  server.listen({ host, port });
  await once(server, "listening");
  // Such as too many open files. Without a listener, the error would end the process.
  server.on("error", (error) => log.warn({ error: error.message }, "The metrics port refused a connection"));
  return async () => {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
}
