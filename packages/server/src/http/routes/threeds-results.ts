/**
 * Where a bank tells how a challenge ended. Only test mode's bank and live mode's have a key, each its own, and a
 * stranger's body is not even read.
 */
import { timingSafeEqual } from "node:crypto";
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import type { Mode } from "@oriel/vault";
import type { Context } from "../context.ts";
import { ApiError } from "../../platform/errors.ts";
import { receiveResult } from "../../payments/flow/threeds/receive-result.ts";
import { readBearer } from "./bearer.ts";

/** The keys we gave the banks. */
export interface ResultsKeys {
  test: string;
  /** Null: there is no live bank. */
  live: string | null;
}

export function threeDSResultRoutes(context: Context, keys: ResultsKeys): FastifyPluginAsync {
  return async (app) => {
    const modeOfBank = ({ headers }: FastifyRequest): Mode => {
      const key = readBearer(headers.authorization) ?? "";
      if (isSame(key, keys.test)) return "test";
      if (keys.live !== null && isSame(key, keys.live)) return "live";
      throw new ApiError("api_key_invalid", "This address is for the bank.");
    };
    app.addHook("onRequest", async (request) => void modeOfBank(request));
    const schema = { hide: true };
    app.post(
      "/3ds/results",
      { schema },
      async (request) => await receiveResult(context, modeOfBank(request), request.body),
    );
  };
}

function isSame(actual: string, expected: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
