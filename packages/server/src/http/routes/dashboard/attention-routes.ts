/**
 * The items that need attention, in the dashboard. Resolving an item needs step-up authentication, because it can end a
 * payment, capture, cancellation or refund as failed. It's recorded in the audit log.
 */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import {
  AttentionQuery,
  ResolveAttention,
  type AttentionCount,
  type AttentionItem,
} from "@oriel/protocol/dashboard/acquirers";
import type { Page } from "@oriel/protocol/dashboard/payments";
import { recordAudit } from "../../../merchants/audit/audit-log.ts";
import { actorName } from "../../../merchants/members/members.ts";
import { countAttention, listAttention } from "../../../payments/attention/attention.ts";
import type { PaymentContext } from "../../../payments/context.ts";
import { itemRetainsRest, resolveAttention } from "../../../payments/flow/resolve-by-user.ts";
import { WorkspacePath, WorkspacePathById } from "./account-params.ts";

const path = "/data/:account/:mode/attention";
const reading = { config: { needs: "data.read" } } as const;

export function attentionRoutes(context: PaymentContext): FastifyPluginAsyncTypebox {
  const { db, now } = context;
  return async (app) => {
    app.get(
      path,
      { ...reading, schema: { params: WorkspacePath, querystring: AttentionQuery } },
      async ({ workspace, query }): Promise<Page<AttentionItem>> =>
        await listAttention(context, workspace.tenant, query),
    );

    app.get(
      `${path}/count`,
      { ...reading, schema: { params: WorkspacePath } },
      async ({ workspace }): Promise<AttentionCount> => await countAttention(context, workspace.tenant),
    );

    app.post(
      `${path}/:id/resolve`,
      {
        config: { needs: "payments.manage", stepUp: true },
        schema: { params: WorkspacePathById, body: ResolveAttention },
      },
      async ({ workspace: { tenant }, visitor, params: { id }, body }): Promise<AttentionItem> => {
        const { mark_failed: markFailed = false } = body;
        const retainsRest = markFailed && (await itemRetainsRest(context, tenant, id));
        return await db.transaction().execute(async (tx) => {
          const { loginId } = visitor;
          const options = { loginId, markFailed, retainsRest };
          const { item, isNew } = await resolveAttention(context, tx, tenant, id, options);
          if (!isNew) return item;
          const { accountNo, livemode } = tenant;
          const entry = {
            actor: actorName(visitor),
            action: markFailed ? ("payment.marked_failed" as const) : ("attention.resolved" as const),
            accountNo,
            objectId: markFailed ? item.charge_id : id,
            details: {
              kind: item.kind,
              livemode,
              ...(markFailed ? { operation: item.details["operation"] ?? null } : {}),
            },
          };
          await recordAudit(tx, entry, now());
          return item;
        });
      },
    );
  };
}
