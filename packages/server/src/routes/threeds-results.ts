/** Where the bank tells how a challenge ended. Only the bank has the key. */
import { timingSafeEqual } from "node:crypto";
import type { FastifyPluginAsync } from "fastify";
import type { Context } from "../context.ts";
import { ApiError } from "../errors.ts";
import { receiveResult } from "../threeds/receive-result.ts";

export function threeDSResultRoutes(context: Context): FastifyPluginAsync {
  return async (app) => {
    app.post("/3ds/results", { schema: { hide: true } }, async ({ headers, body }) => {
      if (!isBank(headers.authorization)) throw new ApiError("api_key_invalid", "This address is for the bank.");
      return await receiveResult(context, body);
    });
  };

  function isBank(authorization: string | undefined): boolean {
    const expected = Buffer.from(`Bearer ${context.config.bank.resultsKey}`);
    const actual = Buffer.from(authorization ?? "");
    return actual.length === expected.length && timingSafeEqual(actual, expected);
  }
}
