/** Counts, times and traces the requests to the service, by the pattern of their route and never by their URL. */
import { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Telemetry } from "./telemetry.ts";
import type { RequestSpan } from "./tracing.ts";

/**
 * Paths that tell whether the process is alive and ready. Probes arrive every few seconds, so they are neither traced nor
 * counted: among few requests of customers, they would hide that most of those fail.
 */
export const probes = ["/livez", "/healthz", "/readyz"];

/** Requests without a route can have any method that Node accepts, which would be too many values for a label. */
const noRoute = { route: "none", method: "any" };

/** Must be called before hooks that refuse requests are added, so that refusals are counted too. */
export function measureRequests(app: FastifyInstance, { metrics, tracing }: Telemetry): void {
  const spans = new WeakMap<FastifyRequest, RequestSpan>();

  app.addHook("onRequest", (request, _reply, done) => {
    const span = isProbe(request) ? null : tracing.startRequest(request.headers);
    if (span === null) return done();
    spans.set(request, span);
    span.run(done);
  });
  // Reading the body leaves the span, so enter it again before the route runs.
  app.addHook("preValidation", (request, _reply, done) => {
    const span = spans.get(request);
    if (span === undefined) return done();
    span.run(done);
  });
  // A stream that fails after the headers were sent ends the connection, and `onResponse` doesn't run. If the client
  // has gone, the stream is destroyed without an error.
  app.addHook("onSend", async (request, reply, payload) => {
    if (!(payload instanceof Readable)) return payload;
    return payload.once("error", () => {
      if (!reply.raw.headersSent) return; // an error response follows, and with it `onResponse`
      metrics.httpRequests.inc({ ...routeOf(request), status: 500 });
      spans.get(request)?.fail("response broke off");
      spans.get(request)?.end(nameOf(request));
    });
  });
  app.addHook("onResponse", async (request, reply) => {
    if (isProbe(request)) return;
    const { route, method } = routeOf(request);
    metrics.httpRequests.inc({ route, method, status: reply.statusCode });
    metrics.httpDuration.observe({ route, method }, reply.elapsedTime / 1000);
    const span = spans.get(request);
    if (span === undefined) return;
    span.set({
      "http.request.method": method,
      "http.route": route,
      "http.response.status_code": reply.statusCode,
      "oriel.request_id": request.id,
    });
    if (reply.statusCode >= 500) span.fail(String(reply.statusCode));
    span.end(nameOf(request));
  });
}

function isProbe({ routeOptions }: FastifyRequest): boolean {
  return probes.includes(routeOptions.url ?? "");
}

function routeOf({ routeOptions: { url }, method }: FastifyRequest): typeof noRoute {
  return url === undefined ? noRoute : { route: url, method };
}

function nameOf(request: FastifyRequest): string {
  const { route, method } = routeOf(request);
  return `${method} ${route}`;
}
