/**
 * What a request passes before anything of it is read or answered, an idempotency key's stored answer too: no key in
 * the address, a secret key in the header, a token of its account's limit, the key's scope, and the mode. In this
 * order.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import { createAuthenticator } from "../../merchants/accounts/authenticator.ts";
import { requireAcquirer, requireBank, requireLiveModeOn } from "../../merchants/accounts/live-mode.ts";
import { requireScope } from "../../merchants/accounts/scopes.ts";
import type { Context } from "../context.ts";
import { ApiError, serviceUnavailable } from "../../platform/errors.ts";
import { createRateLimiter, type Rate, type RateLimiter } from "../../platform/limits/rate-limit.ts";
import { ipNetwork } from "../../payments/risk/ip-network.ts";
import { readBearer } from "./bearer.ts";
import { stackOf } from "../../platform/stack-of.ts";
import { modeOf } from "../../platform/tenant.ts";

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** An onRequest hook for the API. Sets `request.tenant` and `request.apiKeyId`. */
export function admitToApi(context: Context): Hook {
  const { rateLimits } = context.config;
  const limiter = createRateLimiter(context.db);
  const authenticate = createAuthenticator(context, limiter);

  return async (request, reply) => {
    refuseKeyInAddress(request.query);
    const { tenant, scope, keyId, acquirerMerchantId } = await authenticate(
      readBearer(request.headers.authorization),
      networkOf(request),
    );
    request.tenant = tenant;
    request.apiKeyId = keyId;
    const bucket = `api ${tenant.accountId} ${modeOf(tenant)}`;
    await limit(request, reply, limiter, bucket, rateLimits.api);
    const route = request.routeOptions.url ?? "";
    requireScope(scope, request.method, route);
    if (beginsPayment(request.method, route)) requireAcquirer(context, tenant, acquirerMerchantId);
    else if (asksBank(request.method, route)) requireBank(context, tenant);
    else requireLiveModeOn(context, tenant);
  };
}

/** @param route the pattern, as in `/api/v1/charges/:id` */
function beginsPayment(method: string, route: string): boolean {
  return method === "POST" && (route === "/api/v1/checkout_sessions" || route === "/api/v1/decisions");
}

/** Every change but to webhooks, saved cards and sessions. A charge is one: what it needs, its decision had. */
function asksBank(method: string, route: string): boolean {
  const isRead = method === "GET" || method === "HEAD";
  return !isRead && !/^\/api\/v1\/(webhook_endpoints|events|payment_methods|checkout_sessions)(\/|$)/.test(route);
}

/**
 * An onRequest hook for the frame's own endpoints, where a customer has no key yet: by address. Why a frame is silent
 * may be asked by any page, as often as it likes, from the customer's own address: those questions have a bucket of
 * their own and cost no payment its room.
 */
export function admitToFrame(context: Context): Hook {
  const limiter = createRateLimiter(context.db);
  return async (request, reply) => {
    const bucket = request.routeOptions.url?.endsWith("/why") ? "frame-why" : "frame";
    await limit(request, reply, limiter, `${bucket} ${networkOf(request)}`, context.config.rateLimits.frame);
  };
}

/** What is no address shares one limit, so that nobody gets a fresh one by writing nonsense into a header. */
function networkOf({ ip }: FastifyRequest): string {
  return ipNetwork(ip) ?? "unreadable";
}

/** An address is written down everywhere it passes. Names and values both count: `?api_key=x`, `?x=oriel_sk_...`. */
function refuseKeyInAddress(query: unknown): void {
  for (const [name, value] of Object.entries(query ?? {})) {
    if (
      !/^(api[_-]?key|key|secret[_-]?key|access_token)$/i.test(name) &&
      !/oriel_sk_/i.test(`${name} ${String(value)}`)
    )
      continue;
    const param = /oriel_sk_/i.test(name) ? {} : { param: name };
    throw new ApiError(
      "parameter_unknown",
      "A secret key does not belong in an address. Send it in the Authorization header, and roll this one if it was real.",
      param,
    );
  }
}

/**
 * The headers are those of the IETF's draft-ietf-httpapi-ratelimit-headers-10: q requests in w seconds; r of them left;
 * full again in t seconds.
 */
async function limit(
  request: FastifyRequest,
  reply: FastifyReply,
  limiter: RateLimiter,
  bucket: string,
  rate: Rate | null,
): Promise<void> {
  if (rate === null) return;
  const { allowed, remaining, resetSeconds } = await limiter.take(bucket, rate).catch((error: unknown) => {
    request.log.error({ error: stackOf(error) }, "A rate limit could not be read");
    throw serviceUnavailable();
  });
  void reply.header("ratelimit-policy", `"default";q=${rate.burst};w=${Math.ceil(rate.burst / rate.perSecond)}`);
  void reply.header("ratelimit", `"default";r=${remaining};t=${resetSeconds}`);
  if (allowed) return;
  throw new ApiError("rate_limited", "Too many requests. Wait as long as Retry-After says, and spread them out.", {
    retryAfterSeconds: resetSeconds,
  });
}
