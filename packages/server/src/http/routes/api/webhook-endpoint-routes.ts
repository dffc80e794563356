/** `/api/v1/webhook_endpoints`, including their deliveries. */
import Type from "typebox";
import {
  CreateWebhookEndpoint,
  deliveryStatuses,
  RedeliverRange,
  RotateSecret,
  UpdateWebhookEndpoint,
} from "@oriel/protocol/api";
import { id, listQuery } from "@oriel/protocol/shapes";
import { listDeliveries } from "../../../webhooks/deliveries.ts";
import { ping } from "../../../webhooks/ping.ts";
import { redeliverRange } from "../../../webhooks/redeliver.ts";
import {
  checkWebhookUrl,
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listWebhookEndpoints,
  retrieveWebhookEndpoint,
  rotateSecret,
  updateWebhookEndpoint,
} from "../../../webhooks/webhook-endpoints.ts";
import type { Context } from "../../context.ts";
import { causeOfRequest, inOneTransaction, type IdempotentHooks } from "../idempotent-post.ts";
import { ById, closed, Nothing } from "../params.ts";
import { action, change, creation, listing, removal, retrieval, type ApiInstance, type Noun } from "./describe.ts";

const webhookEndpoint: Noun = { one: "a webhook endpoint", many: "Webhook endpoints", schema: "WebhookEndpoint" };
const delivery: Noun = { one: "a delivery", many: "Deliveries", schema: "Delivery" };

const DeliveriesQuery = Type.Object(
  {
    ...listQuery("del").properties,
    status: Type.Optional(
      Type.Enum([...deliveryStatuses], { description: "Returns only deliveries with this status." }),
    ),
    event_id: Type.Optional(id("evt", { description: "Returns only deliveries of the event with this ID." })),
  },
  closed,
);

export function webhookEndpointRoutes(app: ApiInstance, context: Context, idempotent: IdempotentHooks): void {
  app.post(
    "/webhook_endpoints",
    {
      ...idempotent,
      preHandler: [async ({ tenant, body }) => checkWebhookUrl(context, tenant, body.url), idempotent.preHandler],
      schema: creation(
        webhookEndpoint,
        CreateWebhookEndpoint,
        "Creates a webhook endpoint and returns its signing secret. The secret is returned only once.",
        "CreatedWebhookEndpoint",
      ),
    },
    async (request, reply) =>
      await inOneTransaction(context, request, reply, (tx, cause) =>
        createWebhookEndpoint(context, tx, request.tenant, request.body, cause),
      ),
  );
  app.get(
    "/webhook_endpoints",
    { schema: listing(webhookEndpoint, listQuery("we")) },
    async ({ tenant, query }) => await listWebhookEndpoints(context, tenant, query),
  );
  app.get(
    "/webhook_endpoints/:id",
    { schema: retrieval(webhookEndpoint) },
    async ({ tenant, params }) => await retrieveWebhookEndpoint(context, tenant, params.id),
  );
  app.patch(
    "/webhook_endpoints/:id",
    {
      preHandler: async ({ tenant, body }) => checkWebhookUrl(context, tenant, body.url),
      schema: change(
        webhookEndpoint,
        "Update",
        UpdateWebhookEndpoint,
        "Changes the fields that you send. Other fields keep their values.",
      ),
    },
    async (request) => {
      const { tenant, params, body } = request;
      return await context.db
        .transaction()
        .execute((tx) => updateWebhookEndpoint(context, tx, tenant, params.id, body, causeOfRequest(request)));
    },
  );
  app.delete(
    "/webhook_endpoints/:id",
    { schema: removal(webhookEndpoint, "Deletes the endpoint. It no longer receives events.") },
    async (request) => {
      const { tenant, params } = request;
      return await context.db
        .transaction()
        .execute((tx) => deleteWebhookEndpoint(context, tx, tenant, params.id, causeOfRequest(request)));
    },
  );
  app.post(
    "/webhook_endpoints/:id/rotate_secret",
    {
      ...idempotent,
      schema: action(
        webhookEndpoint,
        "Rotate the signing secret of",
        RotateSecret,
        "Creates a new signing secret and returns it only once. Webhooks are signed with both secrets until the overlap ends.",
        "CreatedWebhookEndpoint",
      ),
    },
    async (request, reply) => {
      const { tenant, params, body } = request;
      return await inOneTransaction(context, request, reply, (tx, cause) =>
        rotateSecret(context, tx, tenant, params.id, body, cause),
      );
    },
  );
  app.post(
    "/webhook_endpoints/:id/ping",
    {
      ...idempotent,
      schema: action(webhookEndpoint, "Ping", Nothing, "Sends an event of type `ping` to this endpoint only.", "Event"),
    },
    async (request, reply) =>
      await inOneTransaction(context, request, reply, (tx, cause) =>
        ping(context, tx, request.tenant, request.params.id, cause),
      ),
  );
  app.get(
    "/webhook_endpoints/:id/deliveries",
    { schema: { ...listing(delivery, DeliveriesQuery), tags: [webhookEndpoint.many], params: ById } },
    async ({ tenant, params, query }) => await listDeliveries(context, tenant, params.id, query),
  );
  app.post(
    "/webhook_endpoints/:id/redeliver",
    {
      ...idempotent,
      schema: action(
        webhookEndpoint,
        "Redeliver events to",
        RedeliverRange,
        "Sends the events from a time range to this endpoint again, up to 10,000 events per request.",
        "Redelivery",
      ),
    },
    async (request, reply) => {
      const { tenant, params, body } = request;
      return await inOneTransaction(context, request, reply, (tx) =>
        redeliverRange(context, tx, tenant, params.id, body),
      );
    },
  );
}
