/**
 * The public API, `/api/v1`: HTTP in, HTTP out, nothing else. Each route names its schema, so that what validates is
 * what the OpenAPI document says, and one line of business.
 */
import type { FastifyPluginAsyncTypebox, TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { refuseCardNumbers } from "../../platform/card-data/refuse-card-numbers.ts";
import type { Context } from "../context.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { admitToApi } from "./admit.ts";
import { chargeRoutes } from "./api/charge-routes.ts";
import { decisionRoutes } from "./api/decision-routes.ts";
import { eventRoutes } from "./api/event-routes.ts";
import { paymentMethodRoutes } from "./api/payment-method-routes.ts";
import { refundRoutes } from "./api/refund-routes.ts";
import { sessionRoutes } from "./api/session-routes.ts";
import { webhookEndpointRoutes } from "./api/webhook-endpoint-routes.ts";
import { idempotentHooks } from "./idempotent-post.ts";
import { logRequests } from "./log-requests.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Whose secret key came with the request. */
    tenant: Tenant;
  }
}

export function apiRoutes(context: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.decorateRequest("tenant", null as unknown as Tenant); // set by the next hook before any route can see it
    app.decorateRequest("keyClaim", null);
    logRequests(app, context);
    app.addHook("onRequest", admitToApi(context));
    refuseCardNumbers(app);

    const typed = app.withTypeProvider<TypeBoxTypeProvider>();
    const idempotent = idempotentHooks(context);
    sessionRoutes(typed, context, idempotent);
    paymentMethodRoutes(typed, context, idempotent);
    decisionRoutes(typed, context, idempotent);
    chargeRoutes(typed, context, idempotent);
    refundRoutes(typed, context, idempotent);
    webhookEndpointRoutes(typed, context, idempotent);
    eventRoutes(typed, context, idempotent);
  };
}
