/**
 * Health checks for operators: `/healthz` (the process is alive) and `/readyz` (it isn't about to stop, and can write
 * to the database).
 */
import type { FastifyPluginAsync } from "fastify";
import type { Context } from "../context.ts";
import { createWriteCheck } from "../../platform/storage/write-check.ts";
import { onSurface } from "./hosts.ts";

export function operationsRoutes(context: Context, { isStopping }: { isStopping: () => boolean }): FastifyPluginAsync {
  return async (app) => {
    onSurface(app, "any");
    const options = { schema: { hide: true } };
    const canWrite = createWriteCheck(context);
    app.get("/healthz", options, async () => ({ status: "ok" }));
    app.get("/readyz", options, async (_request, reply) => {
      if (isStopping()) return reply.code(503).send({ status: "unavailable", reason: "stopping" });
      if (await canWrite()) return { status: "ok" };
      return reply.code(503).send({ status: "unavailable", reason: "database" });
    });
  };
}
