/** For those who run the service: is it alive, can it work. */
import { sql } from "kysely";
import type { FastifyPluginAsync } from "fastify";
import type { Context } from "../context.ts";
import { onSurface } from "./surface.ts";

export function operationsRoutes(context: Context): FastifyPluginAsync {
  return async (app) => {
    onSurface(app, "any");
    const options = { schema: { hide: true } };
    app.get("/healthz", options, async () => ({ status: "ok" }));
    app.get("/readyz", options, async (_request, reply) => {
      try {
        await sql`select 1`.execute(context.db);
        return { status: "ok" };
      } catch {
        return reply.code(503).send({ status: "unavailable", reason: "database" });
      }
    });
  };
}
