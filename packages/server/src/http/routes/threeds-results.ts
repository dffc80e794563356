/**
 * Receives the results of 3-D Secure challenges from the acquirers. The acquirer of each mode has its own key, and the body of
 * a request without a valid key isn't read.
 */
import { timingSafeEqual } from "node:crypto";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyRequest } from "fastify";
import type { Mode } from "@oriel/vault";
import { receiveResult } from "../../payments/flow/threeds/receive-result.ts";
import { ApiError } from "../../platform/errors.ts";
import { tenantOfTag } from "../../platform/ids.ts";
import { modeOf } from "../../platform/tenant.ts";
import type { Context } from "../context.ts";
import { readBearer } from "./bearer.ts";
import { ByOwner } from "./params.ts";

/** The keys that acquirers authenticate with. */
export interface ResultsKeys {
  test: string;
  /** Null if no live acquirer is configured. */
  live: string | null;
}

export function threeDSResultRoutes(context: Context, keys: ResultsKeys): FastifyPluginAsyncTypebox {
  return async (app) => {
    const modeOfSender = ({ headers }: Pick<FastifyRequest, "headers">): Mode => {
      const key = readBearer(headers.authorization) ?? "";
      if (isSame(key, keys.test)) return "test";
      if (keys.live !== null && isSame(key, keys.live)) return "live";
      throw new ApiError(
        "api_key_invalid",
        "Only the acquirer can use this URL. The acquirer's key is missing or wrong.",
      );
    };
    app.addHook("onRequest", async (request) => void modeOfSender(request));
    app.post("/3ds/results/:owner", { schema: { hide: true, params: ByOwner } }, async (request) => {
      const owner = tenantOfTag(request.params.owner);
      const isOfSender = owner !== undefined && modeOf(owner) === modeOfSender(request);
      return await receiveResult(context, isOfSender ? owner : undefined, request.body);
    });
  };
}

function isSame(actual: string, expected: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
