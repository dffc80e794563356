/**
 * Receives notifications from acquirers, at the URL that is entered in the vendor's settings. The ID of the acquirer
 * account in the URL isn't secret: each item has a signature (`payments/notifications/receive.ts`).
 *
 * Refused requests are counted per IP address, as with wrong API keys (`authenticator.ts`). Above the limit, requests from
 * that address get 429 before their body is read. Addresses from which this process accepted a notification for the same
 * acquirer account within the last hour are exempt, so that nobody who shares an address with the acquirer, such as a
 * proxy's, can hold up its notifications. Otherwise the acquirer sends them again.
 */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyRequest } from "fastify";
import type { RefusedBecause } from "@oriel/vault";
import { receiveNotification } from "../../payments/notifications/receive.ts";
import { ipNetwork } from "../../payments/risk/ip-network.ts";
import { ApiError } from "../../platform/errors.ts";
import { createRateLimiter, type Rate } from "../../platform/limits/rate-limit.ts";
import type { Context } from "../context.ts";
import { ById } from "./params.ts";

/** The limit on refused requests per IP address. */
const refusals: Rate = { perSecond: 20, burst: 100 };

const provenMs = 3_600_000;
const maxProven = 10_000;

export function acquirerNotificationRoutes(context: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    const limiter = createRateLimiter(context.db);
    /** By address and acquirer account. */
    const provenUntil = new Map<string, number>();

    // More leniently than elsewhere (`json-body.ts`): the vendor holds back what follows a notification that's refused, even
    // for a character in a field that we don't read. What counts is signed.
    app.removeContentTypeParser("application/json");
    app.addContentTypeParser("application/json", { parseAs: "string" }, app.getDefaultJsonParser("ignore", "ignore"));

    app.post(
      "/acquirers/:id/notifications",
      {
        schema: { hide: true, params: ById },
        async onRequest(request) {
          if (limiter.isEmpty(bucketOf(request)) && !isProven(request)) throw tooMany();
        },
        async onResponse(request, { statusCode }) {
          if (statusCode >= 400 && statusCode < 500 && statusCode !== 429)
            context.inBackground("count a refused notification", limiter.take(bucketOf(request), refusals));
        },
      },
      async (request, reply) => {
        const result = await receiveNotification(context, request.params.id, request.body);
        if (result !== "accepted") throw refusalOf(result);
        prove(request);
        // What Adyen expects. Other acquirers only look at the status.
        return reply.type("text/plain; charset=utf-8").send("[accepted]");
      },
    );

    function isProven(request: FastifyRequest): boolean {
      return (provenUntil.get(proofOf(request)) ?? 0) > context.now().getTime();
    }

    function prove(request: FastifyRequest): void {
      const [oldest] = provenUntil.keys();
      if (provenUntil.size >= maxProven && oldest !== undefined) provenUntil.delete(oldest);
      provenUntil.set(proofOf(request), context.now().getTime() + provenMs);
    }
  };
}

function bucketOf({ ip }: FastifyRequest): string {
  return `refused notifications from ${ipNetwork(ip) ?? "unreadable"}`;
}

function proofOf(request: FastifyRequest): string {
  const { id } = request.params as { id: string }; // checked by the schema, or equal to no acquirer account
  return `${ipNetwork(request.ip) ?? "unreadable"} ${id}`;
}

function tooMany(): ApiError {
  const message = "Too many requests that aren't notifications came from this IP address. Try again in one second.";
  return new ApiError("rate_limited", message, { retryAfterSeconds: 1 });
}

function refusalOf(refused: RefusedBecause): ApiError {
  switch (refused) {
    case "wrong_signature":
      return new ApiError("api_key_invalid", "The notification's signature is missing or wrong.");
    case "other_merchant_account":
      return new ApiError("parameter_invalid", "The notification is for another merchant account.");
    case "other_mode":
      return new ApiError("parameter_invalid", "The notification is for the other mode (test or live).");
    case "invalid":
      return new ApiError("body_malformed", "The body isn't a notification of this acquirer.");
  }
}
