/** Refuses new requests while too many bytes of others are in memory. Health checks still pass: a service under load is alive. */
import type { HttpListener } from "@oriel/http-listener";
import type { FastifyInstance } from "fastify";
import { ApiError } from "../../platform/errors.ts";

const alwaysServed = new Set(["/healthz", "/readyz"]);

export function refuseWhenFull(app: FastifyInstance, listener: HttpListener): void {
  app.addHook("onRequest", (request, _reply, done) => {
    if (!listener.isFull() || alwaysServed.has(request.routeOptions.url ?? "")) return done();
    done(
      new ApiError(
        "service_unavailable",
        "The service is overloaded. Send the request again shortly, with the same Idempotency-Key.",
        {
          retryAfterSeconds: 1,
        },
      ),
    );
  });
}
