/** How far the merchant has come with putting us in, and a checkout to try it out: `/data/:account/:mode/integrate`. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { CreateTestSession } from "@oriel/protocol/dashboard-setup";
import { readChecklist } from "../../../merchants/accounts/checklist.ts";
import type { PlatformContext } from "../../../platform/context.ts";
import { actorName } from "../../../merchants/members/members.ts";
import { createDashboardSession } from "../../../payments/sessions/dashboard-session.ts";
import { AtDesk } from "./desk-params.ts";
import { DashboardError } from "./errors.ts";

const path = "/data/:account/:mode/integrate";

export function integrateRoutes(context: Pick<PlatformContext, "db" | "now" | "config">): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(path, { config: { needs: "data.read" }, schema: { params: AtDesk } }, async ({ desk }) => {
      return await readChecklist(context.db, desk.tenant);
    });

    app.post(
      `${path}/session`,
      { config: { needs: "developing" }, schema: { params: AtDesk, body: CreateTestSession } },
      async ({ desk: { tenant }, visitor, body }) => {
        if (tenant.livemode) throw new DashboardError("not_possible_now", "Checkouts are tried out in test mode.");
        return await createDashboardSession(context, tenant, body, actorName(visitor));
      },
    );
  };
}
