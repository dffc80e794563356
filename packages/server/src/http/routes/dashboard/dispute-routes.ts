/** Disputes in the dashboard. They're read-only, because merchants respond to them in their acquirer's own tools. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { Dispute } from "@oriel/protocol/api";
import { DisputesQuery } from "@oriel/protocol/dashboard/acquirers";
import type { Page } from "@oriel/protocol/dashboard/payments";
import type { PaymentContext } from "../../../payments/context.ts";
import { listDisputes } from "../../../payments/disputes/disputes.ts";
import { WorkspacePath } from "./account-params.ts";

export function disputeRoutes(context: Pick<PaymentContext, "db">): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      "/data/:account/:mode/disputes",
      { config: { needs: "data.read" }, schema: { params: WorkspacePath, querystring: DisputesQuery } },
      async ({ workspace, query }): Promise<Page<Dispute>> => {
        const { data, has_more } = await listDisputes(context, workspace.tenant, { limit: "25", ...query });
        return { data, has_more };
      },
    );
  };
}
