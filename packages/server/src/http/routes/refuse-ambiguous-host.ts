/** Refuses a request that names its host twice, and closes the connection: what follows on it may be part of the same attempt. */
import type { FastifyInstance } from "fastify";
import { faultOfHead } from "@oriel/protocol/request-head";
import { ApiError } from "../../platform/errors.ts";

/** Must come before every hook that looks at the host. */
export function refuseAmbiguousHost(app: FastifyInstance): void {
  app.addHook("onRequest", async ({ raw }, reply) => {
    const fault = faultOfHead(raw.url ?? "", raw.rawHeaders);
    if (fault === null) return;
    void reply.header("connection", "close");
    throw new ApiError("body_malformed", fault);
  });
}
