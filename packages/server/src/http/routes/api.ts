/**
 * The public API, `/api/v1`. Routes only translate between HTTP and the functions that do the work. The schema that
 * validates a route's requests also describes it in the OpenAPI document.
 */
import type { FastifyPluginAsyncTypebox, TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { refuseCardNumbers } from "../../platform/card-data/refuse-card-numbers.ts";
import type { Tenant } from "../../platform/tenant.ts";
import type { Context } from "../context.ts";
import { admitToApi } from "./admit.ts";
import { chargeRoutes } from "./api/charge-routes.ts";
import { customerRoutes } from "./api/customer-routes.ts";
import { decisionRoutes } from "./api/decision-routes.ts";
import { disputeRoutes } from "./api/dispute-routes.ts";
import { eventRoutes } from "./api/event-routes.ts";
import { paymentMethodRoutes } from "./api/payment-method-routes.ts";
import { refundRoutes } from "./api/refund-routes.ts";
import { sessionRoutes } from "./api/session-routes.ts";
import { webhookEndpointRoutes } from "./api/webhook-endpoint-routes.ts";
import { idempotentHooks } from "./idempotent-post.ts";
import { logRequests } from "./log-requests.ts";
import { requireOwnIds } from "./require-own-ids.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The account and mode of the request's secret key. */
    tenant: Tenant;
    /** The account's current acquirer account in this mode. Null: the default acquirer. */
    acquirerAccountId: string | null;
  }
}

export function apiRoutes(context: Context, logEveryMs?: number): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.decorateRequest("tenant", null as unknown as Tenant); // set by the onRequest hook below, before any route runs
    app.decorateRequest("acquirerAccountId", null);
    app.decorateRequest("keyClaim", null);
    // Some responses contain a secret: an `embed_url`, or the signing secret of a webhook endpoint.
    app.addHook("onRequest", async (_request, reply) => void reply.header("cache-control", "no-store"));
    logRequests(app, context, logEveryMs);
    app.addHook("onRequest", admitToApi(context));
    refuseCardNumbers(app, { phones: ["phone"] });
    app.addHook("preHandler", requireOwnIds);

    const typed = app.withTypeProvider<TypeBoxTypeProvider>();
    const idempotent = idempotentHooks(context);
    sessionRoutes(typed, context, idempotent);
    customerRoutes(typed, context, idempotent);
    paymentMethodRoutes(typed, context, idempotent);
    decisionRoutes(typed, context, idempotent);
    chargeRoutes(typed, context, idempotent);
    refundRoutes(typed, context, idempotent);
    disputeRoutes(typed, context);
    webhookEndpointRoutes(typed, context, idempotent);
    eventRoutes(typed, context, idempotent);
  };
}
