/** The integration checklist and a checkout session to test with: `/data/:account/:mode/integrate`. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { CreateTestSession, type TestSession } from "@oriel/protocol/dashboard/setup";
import { readChecklist } from "../../../merchants/accounts/checklist.ts";
import { recordAudit } from "../../../merchants/audit/audit-log.ts";
import { actorName } from "../../../merchants/members/members.ts";
import { checkCheckoutSession, createCheckoutSession } from "../../../payments/sessions/checkout-sessions.ts";
import type { PlatformContext } from "../../../platform/context.ts";
import type { Tenant } from "../../../platform/tenant.ts";
import { WorkspacePath } from "./account-params.ts";
import { DashboardError } from "./errors.ts";

const path = "/data/:account/:mode/integrate";

export function integrateRoutes(context: PlatformContext): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(path, { config: { needs: "data.read" }, schema: { params: WorkspacePath } }, async ({ workspace }) => {
      return await readChecklist(context.db, workspace.tenant);
    });

    app.post(
      `${path}/session`,
      { config: { needs: "developing" }, schema: { params: WorkspacePath, body: CreateTestSession } },
      async ({ workspace: { tenant }, visitor, body }) => {
        if (tenant.livemode)
          throw new DashboardError("not_possible_now", "You can create test checkouts only in test mode.");
        return await createTestSession(context, tenant, body, actorName(visitor));
      },
    );
  };
}

/**
 * Creates a test-mode checkout session that only the dashboard can frame.
 *
 * @param actor for the audit log
 * @throws ApiError if the session can't be created
 */
async function createTestSession(
  context: PlatformContext,
  tenant: Tenant,
  money: CreateTestSession,
  actor: string,
): Promise<TestSession> {
  const request = { ...money, description: "Test from the dashboard" };
  const defaults = await checkCheckoutSession(context, tenant, request);
  const onlyOrigin = context.config.dashboardOrigin;
  return await context.db.transaction().execute(async (tx) => {
    const created = await createCheckoutSession(context, tx, tenant, request, defaults, { onlyOrigin });
    if (created === undefined) throw new Error("Bug: a session without a key wasn't created");
    const entry = {
      actor,
      action: "checkout_session.tested",
      accountNo: tenant.accountNo,
      objectId: created.session.id,
    } as const;
    await recordAudit(tx, entry, context.now());
    return { embed_url: created.embed_url };
  });
}
