/**
 * The checks that run before a request's body is read or a stored response is replayed. In order: no key in the URL, a
 * valid secret key in the header, the account's rate limit, the key's scope, and the mode.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import { createAuthenticator } from "../../merchants/accounts/authenticator.ts";
import { requireAcquirer, requireLiveModeOn, requireAnyAcquirer } from "../../merchants/accounts/live-mode.ts";
import { requireScope } from "../../merchants/accounts/scopes.ts";
import { ipNetwork } from "../../payments/risk/ip-network.ts";
import { ApiError, serviceUnavailable } from "../../platform/errors.ts";
import { createRateLimiter, type Rate, type RateLimiter } from "../../platform/limits/rate-limit.ts";
import { stackOf } from "../../platform/stack-of.ts";
import { modeOf } from "../../platform/tenant.ts";
import type { Context } from "../context.ts";
import { readBearer } from "./bearer.ts";

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Returns an onRequest hook for the API that sets `request.tenant` and `request.apiKeyId`. */
export function admitToApi(context: Context): Hook {
  const { rateLimits } = context.config;
  const limiter = createRateLimiter(context.db);
  const authenticate = createAuthenticator(context, limiter);

  return async (request, reply) => {
    refuseKeyInUrl(request.query);
    const { tenant, scope, keyId, acquirer, knownKey } = await authenticate(
      readBearer(request.headers.authorization),
      networkOf(request),
      idempotencyKeyOf(request),
    );
    request.tenant = tenant;
    request.apiKeyId = keyId;
    request.acquirerAccountId = acquirer.acquirerAccountId;
    request.knownKey = knownKey;
    const bucket = `api ${tenant.accountNo} ${modeOf(tenant)}`;
    await limit(request, reply, limiter, bucket, rateLimits.api);
    const route = request.routeOptions.url ?? "";
    requireScope(scope, request.method, route);
    if (startsPayment(request.method, route)) requireAcquirer(context, tenant, acquirer);
    else if (needsAcquirer(request.method, route)) requireAnyAcquirer(context, tenant, acquirer);
    else requireLiveModeOn(context, tenant);
  };
}

/** Null if it can't be one that is stored. Its format is checked later, when the request is known to be authentic. */
function idempotencyKeyOf({ headers }: FastifyRequest): string | null {
  const key = headers["idempotency-key"];
  return typeof key === "string" && key.length <= 255 ? key : null;
}

/** @param route the route's pattern, such as `/api/v1/charges/:id` */
function startsPayment(method: string, route: string): boolean {
  return method === "POST" && (route === "/api/v1/checkout_sessions" || route === "/api/v1/decisions");
}

/**
 * Says whether the request needs an acquirer for its mode. All changes do, except those to webhooks, customers, saved
 * cards and sessions. Creating a charge doesn't check more than that, because creating its decision did.
 */
function needsAcquirer(method: string, route: string): boolean {
  const isRead = method === "GET" || method === "HEAD";
  return (
    !isRead && !/^\/api\/v1\/(webhook_endpoints|events|customers|payment_methods|checkout_sessions)(\/|$)/.test(route)
  );
}

/**
 * Returns an onRequest hook for the iframe's endpoints that limits requests by IP address, because customers have no
 * key. `/why` has its own bucket: any page can call it from the customer's browser, and those calls must not use up
 * the limit for payments.
 */
export function admitToFrame(context: Context): Hook {
  const limiter = createRateLimiter(context.db);
  return async (request, reply) => {
    const bucket = request.routeOptions.url?.endsWith("/why") ? "frame-why" : "frame";
    await limit(request, reply, limiter, `${bucket} ${networkOf(request)}`, context.config.rateLimits.frame);
  };
}

/** Invalid addresses share one limit, so that a client can't get around its limit by sending a malformed header. */
function networkOf({ ip }: FastifyRequest): string {
  return ipNetwork(ip) ?? "unreadable";
}

/**
 * URLs end up in many logs, so a secret key must not be in one. Checks names and values: `?api_key=x`,
 * `?x=oriel_sk_...`.
 */
function refuseKeyInUrl(query: unknown): void {
  for (const [name, value] of Object.entries(query ?? {})) {
    if (
      !/^(api[_-]?key|key|secret[_-]?key|access_token)$/i.test(name) &&
      !/oriel_sk_/i.test(`${name} ${String(value)}`)
    )
      continue;
    const param = /oriel_sk_/i.test(name) ? {} : { param: name };
    throw new ApiError(
      "parameter_unknown",
      "Don't send a secret key in a URL. Send it in the `Authorization` header. If this is a real key, roll it.",
      param,
    );
  }
}

/**
 * Counts the request against the bucket and sets the headers of draft-ietf-httpapi-ratelimit-headers-10: the limit is q
 * requests per w seconds, r are left, and the bucket is full again in t seconds.
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
    request.log.error({ error: stackOf(error) }, "Failed to read a rate limit");
    throw serviceUnavailable();
  });
  void reply.header("ratelimit-policy", `"default";q=${rate.burst};w=${Math.ceil(rate.burst / rate.perSecond)}`);
  void reply.header("ratelimit", `"default";r=${remaining};t=${resetSeconds}`);
  if (allowed) return;
  throw new ApiError(
    "rate_limited",
    "Too many requests. Wait for the number of seconds in the `Retry-After` header, then send requests at a lower rate.",
    {
      retryAfterSeconds: resetSeconds,
    },
  );
}
