/**
 * Health checks for operators: `/livez` and its older name `/healthz` (the process is alive), and `/readyz` (it can write
 * to the database and isn't stopping). `telemetry/metrics-listener.ts` serves them on the metrics port, too.
 */
import type { FastifyPluginAsync } from "fastify";
import type { Context } from "../context.ts";
import { onSurface } from "./hosts.ts";

export function operationsRoutes(context: Context): FastifyPluginAsync {
  return async (app) => {
    onSurface(app, "any");
    const options = { schema: { hide: true } };
    for (const path of ["/livez", "/healthz"]) app.get(path, options, async () => ({ status: "ok" }));
    app.get("/readyz", options, async (_request, reply) => {
      const { code, body } = await context.readiness.check();
      return reply.code(code).send(body);
    });
  };
}
