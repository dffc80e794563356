/** A checkout session that a merchant makes in the dashboard, to try the page out there: in test mode, and held by no page but the dashboard's. */
import type { CreateTestSession, TestSession } from "@oriel/protocol/dashboard-setup";
import { recordAudit } from "../../merchants/audit/audit-log.ts";
import type { PlatformContext } from "../../platform/context.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { checkCheckoutSession, createCheckoutSession } from "./checkout-sessions.ts";

/** @param actor for the audit log @throws ApiError that names what cannot be */
export async function createDashboardSession(
  context: Pick<PlatformContext, "db" | "config" | "now">,
  tenant: Tenant,
  money: CreateTestSession,
  actor: string,
): Promise<TestSession> {
  if (tenant.livemode) throw new Error("Bug: the dashboard makes no live sessions");
  const request = { ...money, description: "Test from the dashboard" };
  await checkCheckoutSession(context, tenant, request);
  return await context.db.transaction().execute(async (tx) => {
    const created = await createCheckoutSession(context, tx, tenant, request, context.config.dashboardOrigin);
    const told = { actor, action: "checkout_session.tested", accountId: tenant.accountId, objectId: created.session.id } as const;
    await recordAudit(tx, told, context.now());
    return { embed_url: created.embed_url };
  });
}
