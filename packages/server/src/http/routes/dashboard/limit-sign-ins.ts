/** Limits how often an IP address can try passwords, codes, passkeys and links. */
import type { FastifyInstance } from "fastify";
import { ipNetwork } from "../../../payments/risk/ip-network.ts";
import { createRateLimiter } from "../../../platform/limits/rate-limit.ts";
import type { Context } from "../../context.ts";
import { tooMany } from "./errors.ts";

/** Call this once for all routes with this limit, because each limiter holds a part of the tokens. */
export function limitSignIns(app: FastifyInstance, { db, config }: Context): void {
  const limiter = createRateLimiter(db);
  app.addHook("preValidation", async ({ method, ip }) => {
    const tries = config.rateLimits.signIn;
    if (method === "GET" || tries === null) return;
    const { allowed, resetSeconds } = await limiter.take(`sign-in from ${ipNetwork(ip) ?? "unreadable"}`, tries);
    if (!allowed) throw tooMany("attempts", resetSeconds);
  });
}
