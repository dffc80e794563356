/** Webhook endpoints over HTTP. */
import { CreateWebhookEndpoint, ListQuery } from "@oriel/protocol/api";
import type { Context } from "../../context.ts";
import {
  checkWebhookEndpoint,
  createWebhookEndpoint,
  listWebhookEndpoints,
  retrieveWebhookEndpoint,
} from "../../webhooks/webhook-endpoints.ts";
import { inOneTransaction, type IdempotentHooks } from "../idempotent-post.ts";
import { creation, listing, retrieval, type ApiInstance, type Noun } from "./describe.ts";

const webhookEndpoint: Noun = { one: "a webhook endpoint", many: "Webhook endpoints", schema: "WebhookEndpoint" };

export function webhookEndpointRoutes(app: ApiInstance, context: Context, idempotent: IdempotentHooks): void {
  app.post(
    "/webhook_endpoints",
    {
      ...idempotent,
      preHandler: [async ({ tenant, body }) => checkWebhookEndpoint(context, tenant, body), idempotent.preHandler],
      schema: creation(
        webhookEndpoint,
        CreateWebhookEndpoint,
        "Gives the signing secret. It is not shown again.",
        "CreatedWebhookEndpoint",
      ),
    },
    async (request, reply) =>
      await inOneTransaction(context, request, reply, (tx) => createWebhookEndpoint(context, tx, request.tenant, request.body)),
  );
  app.get(
    "/webhook_endpoints",
    { schema: listing(webhookEndpoint, ListQuery) },
    async ({ tenant, query }) => await listWebhookEndpoints(context, tenant, query),
  );
  app.get(
    "/webhook_endpoints/:id",
    { schema: retrieval(webhookEndpoint) },
    async ({ tenant, params }) => await retrieveWebhookEndpoint(context, tenant, params.id),
  );
}
