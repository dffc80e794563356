/** Where the bank tells how a challenge ended. Only the bank has the key, and a stranger's body is not even read. */
import { timingSafeEqual } from "node:crypto";
import type { FastifyPluginAsync } from "fastify";
import type { Context } from "../context.ts";
import { ApiError } from "../errors.ts";
import { receiveResult } from "../threeds/receive-result.ts";
import { readBearer } from "./bearer.ts";

/** @param resultsKey the key we gave the bank */
export function threeDSResultRoutes(context: Context, resultsKey: string): FastifyPluginAsync {
  return async (app) => {
    app.addHook("onRequest", async ({ headers }) => {
      if (!isSame(readBearer(headers.authorization) ?? "", resultsKey)) {
        throw new ApiError("api_key_invalid", "This address is for the bank.");
      }
    });
    app.post("/3ds/results", { schema: { hide: true } }, async ({ body }) => await receiveResult(context, body));
  };
}

function isSame(actual: string, expected: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
