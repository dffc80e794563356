/**
 * Webhook endpoints in the dashboard: `/data/:account/:mode/webhook_endpoints`. They do the same as the API's routes
 * with the same names. Sending events to a new URL and showing a signing secret need step-up authentication. The owners
 * get an email about each new URL.
 */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyRequest } from "fastify";
import Type from "typebox";
import { CreateWebhookEndpoint, deliveryStatuses } from "@oriel/protocol/api";
import {
  ChangeEndpoint,
  type EndpointWithHealth,
  type RevealedSecret,
  RotateEndpointSecret,
  type WebhookEndpoint,
} from "@oriel/protocol/dashboard/setup";
import { id, listQuery } from "@oriel/protocol/shapes";
import { actorName } from "../../../merchants/members/members.ts";
import type { Cause } from "../../../platform/cause.ts";
import type { Tx } from "../../../platform/storage/database.ts";
import type { Tenant } from "../../../platform/tenant.ts";
import { lastAttemptsOf, listDeliveries } from "../../../webhooks/deliveries.ts";
import { ping } from "../../../webhooks/ping.ts";
import {
  checkWebhookUrl,
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listWebhookEndpoints,
  retrieveWebhookEndpoint,
  revealSecret,
  rotateSecret,
  updateWebhookEndpoint,
} from "../../../webhooks/webhook-endpoints.ts";
import type { Context } from "../../context.ts";
import { closed, Nothing } from "../params.ts";
import { WorkspacePath, WorkspacePathById } from "./account-params.ts";
import { requireStepUp } from "./guard.ts";

const developing = { config: { needs: "developing" } } as const;
const withStepUp = { config: { needs: "developing", stepUp: true } } as const;
const path = "/data/:account/:mode/webhook_endpoints";

const DeliveriesQuery = Type.Object(
  {
    ...listQuery("del").properties,
    status: Type.Optional(Type.Enum([...deliveryStatuses])),
    event_id: Type.Optional(id("evt")),
  },
  closed,
);

export function endpointRoutes(context: Context): FastifyPluginAsyncTypebox {
  const { db } = context;
  return async (app) => {
    app.get(
      path,
      { ...developing, schema: { params: WorkspacePath, querystring: listQuery("we") } },
      async ({ workspace, query }) => {
        const page = await listWebhookEndpoints(context, workspace.tenant, query);
        return { ...page, data: await withHealth(workspace.tenant, page.data) };
      },
    );

    app.get(`${path}/:id`, { ...developing, schema: { params: WorkspacePathById } }, async ({ workspace, params }) => {
      const [endpoint] = await withHealth(workspace.tenant, [
        await retrieveWebhookEndpoint(context, workspace.tenant, params.id),
      ]);
      return endpoint;
    });

    app.get(
      `${path}/:id/deliveries`,
      { ...developing, schema: { params: WorkspacePathById, querystring: DeliveriesQuery } },
      async ({ workspace, params, query }) => await listDeliveries(context, workspace.tenant, params.id, query),
    );

    app.post(
      path,
      { ...withStepUp, schema: { params: WorkspacePath, body: CreateWebhookEndpoint } },
      async (request) => {
        const { workspace, body } = request;
        checkWebhookUrl(context, workspace.tenant, body.url);
        return await inTransaction(request, (tx, cause) =>
          createWebhookEndpoint(context, tx, workspace.tenant, body, cause),
        );
      },
    );

    app.patch(
      `${path}/:id`,
      { ...developing, schema: { params: WorkspacePathById, body: ChangeEndpoint } },
      async (request) => {
        const { workspace, visitor, params, body } = request;
        if (body.url !== undefined) requireStepUp(context, visitor);
        checkWebhookUrl(context, workspace.tenant, body.url);
        return await inTransaction(request, (tx, cause) =>
          updateWebhookEndpoint(context, tx, workspace.tenant, params.id, body, cause),
        );
      },
    );

    app.delete(`${path}/:id`, { ...developing, schema: { params: WorkspacePathById } }, async (request) => {
      const { workspace, params } = request;
      return await inTransaction(request, (tx, cause) =>
        deleteWebhookEndpoint(context, tx, workspace.tenant, params.id, cause),
      );
    });

    app.post(
      `${path}/:id/rotate_secret`,
      { ...withStepUp, schema: { params: WorkspacePathById, body: RotateEndpointSecret } },
      async (request) => {
        const { workspace, params, body } = request;
        return await inTransaction(request, (tx, cause) =>
          rotateSecret(context, tx, workspace.tenant, params.id, body, cause),
        );
      },
    );

    app.post(
      `${path}/:id/reveal`,
      { ...withStepUp, schema: { params: WorkspacePathById, body: Nothing } },
      async (request): Promise<RevealedSecret> => {
        const { workspace, params } = request;
        return {
          secret: await inTransaction(request, (tx, cause) =>
            revealSecret(context, tx, workspace.tenant, params.id, cause),
          ),
        };
      },
    );

    app.post(
      `${path}/:id/test`,
      { ...developing, schema: { params: WorkspacePathById, body: Nothing } },
      async (request) => {
        const { workspace, params } = request;
        return await inTransaction(request, (tx, cause) => ping(context, tx, workspace.tenant, params.id, cause));
      },
    );
  };

  async function withHealth(tenant: Tenant, endpoints: readonly WebhookEndpoint[]): Promise<EndpointWithHealth[]> {
    const attempts = await lastAttemptsOf(db, tenant, endpoints.map(({ id }) => id)); // prettier-ignore
    return endpoints.map((endpoint) => ({ ...endpoint, last_attempt: attempts.get(endpoint.id) ?? null }));
  }

  async function inTransaction<T>(
    { id, visitor }: FastifyRequest,
    work: (tx: Tx, cause: Cause) => Promise<T>,
  ): Promise<T> {
    const cause: Cause = { requestId: id, idempotencyKey: null, actor: actorName(visitor) };
    return await db.transaction().execute((tx) => work(tx, cause));
  }
}
