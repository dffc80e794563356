/** The dashboard's events over HTTP: list them, show their deliveries, and redeliver them. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import {
  EventsQuery,
  Redeliver,
  type EventDetail,
  type EventSummary,
  type Page,
} from "@oriel/protocol/dashboard/payments";
import { recordAudit } from "../../../merchants/audit/audit-log.ts";
import { actorName } from "../../../merchants/members/members.ts";
import { deliveriesOfEvents } from "../../../webhooks/deliveries.ts";
import { listEventSummaries, retrieveEvent } from "../../../webhooks/events.ts";
import { redeliverEvent } from "../../../webhooks/redeliver.ts";
import { findWebhookEndpoint } from "../../../webhooks/webhook-endpoints.ts";
import type { Context } from "../../context.ts";
import { idempotentHooks, inOneTransaction } from "../idempotent-post.ts";
import { WorkspacePath, WorkspacePathById } from "./account-params.ts";
import { keysOfDashboard } from "./idempotency.ts";

/** An event has one delivery for each endpoint, including deleted ones. More than this aren't shown. */
const shownDeliveries = 200;

export function eventRoutes(context: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.decorateRequest("keyClaim", null);
    const reading = { config: { needs: "data.read" } } as const;
    const managing = { config: { needs: "payments.manage" } } as const;
    const at = "/data/:account/:mode/events";

    app.get(
      at,
      { ...reading, schema: { params: WorkspacePath, querystring: EventsQuery } },
      async ({ workspace, query }): Promise<Page<EventSummary>> => {
        const { data, has_more } = await listEventSummaries(context, workspace.tenant, { limit: "25", ...query });
        return { data, has_more };
      },
    );
    app.get(
      `${at}/:id`,
      { ...reading, schema: { params: WorkspacePathById } },
      async ({ workspace, params }): Promise<EventDetail> => {
        const event = await retrieveEvent(context, workspace.tenant, params.id);
        return {
          event,
          deliveries: await deliveriesOfEvents(context.db, workspace.tenant, [event.id], shownDeliveries),
        };
      },
    );
    app.post(
      `${at}/:id/redeliver`,
      {
        ...managing,
        ...idempotentHooks(context, keysOfDashboard),
        schema: { params: WorkspacePathById, body: Redeliver },
      },
      async (request, reply) => {
        const { workspace, visitor, params, body } = request;
        const { accountNo, livemode } = workspace.tenant;
        return await inOneTransaction(
          context,
          request,
          reply,
          async (tx) => {
            if (body.endpoint_id === undefined)
              return await redeliverEvent(context, tx, workspace.tenant, params.id, {});
            const { id } = await findWebhookEndpoint(tx, workspace.tenant, body.endpoint_id, "endpoint_id");
            return await redeliverEvent(context, tx, workspace.tenant, params.id, { webhook_endpoint_id: id });
          },
          async (tx) => {
            const details = { livemode, ...(body.endpoint_id === undefined ? {} : { endpoint: body.endpoint_id }) };
            const entry = { action: "event.redelivered", accountNo, objectId: params.id, details } as const;
            await recordAudit(tx, { actor: actorName(visitor), ...entry }, context.now());
          },
        );
      },
    );
  };
}
