/** Counts, times and traces the requests to the service, by the pattern of their route and never by their URL. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { RequestSpan } from "./tracing.ts";
import type { Telemetry } from "./telemetry.ts";

/** Paths that tell whether the process is alive and ready. Probes arrive every few seconds, so they aren't traced. */
export const probes = ["/livez", "/healthz", "/readyz"];

/** Requests without a route can have any method that Node accepts, which would be too many values for a label. */
const noRoute = { route: "none", method: "any" };

/** Must be called before hooks that refuse requests are added, so that refusals are counted too. */
export function measureRequests(app: FastifyInstance, { metrics, tracing }: Telemetry): void {
  const spans = new WeakMap<FastifyRequest, RequestSpan>();

  app.addHook("onRequest", (request, _reply, done) => {
    const isProbe = probes.includes(request.routeOptions.url ?? "");
    const span = isProbe ? null : tracing.startRequest(request.headers);
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
  app.addHook("onResponse", async (request, reply) => {
    const { url } = request.routeOptions;
    const { route, method } = url === undefined ? noRoute : { route: url, method: request.method };
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
    span.end(`${method} ${route}`);
  });
}
