/**
 * Risk in the dashboard: the account's policy for new customers, and the report about card testing. Each mode has its own.
 * Changing the policy needs step-up authentication, because it decides how many stolen cards someone can try.
 */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { ChangeNewCustomers, type CardTesting } from "@oriel/protocol/dashboard/setup";
import { actorName } from "../../../merchants/members/members.ts";
import type { PaymentContext } from "../../../payments/context.ts";
import { changeAdmissionPolicy, readAdmissionPolicy } from "../../../payments/risk/admission-policy.ts";
import { findRecentReport, toCardTestingReport } from "../../../payments/risk/card-testing-report.ts";
import { modeOf } from "../../../platform/tenant.ts";
import { WorkspacePath } from "./account-params.ts";
import { DashboardError } from "./errors.ts";

const policyPath = "/data/:account/:mode/settings/new-customers";
/** How long a report is shown after card testing has ended. */
const shownForMs = 7 * 24 * 60 * 60 * 1000;

export function riskRoutes(context: Pick<PaymentContext, "db" | "now" | "riskSettings">): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      policyPath,
      { config: { needs: "data.read" }, schema: { params: WorkspacePath } },
      async ({ workspace }) => {
        return await readAdmissionPolicy(context, workspace.tenant);
      },
    );

    app.put(
      policyPath,
      { config: { needs: "developing", stepUp: true }, schema: { params: WorkspacePath, body: ChangeNewCustomers } },
      async ({ workspace, visitor, body }) => {
        if (!(await changeAdmissionPolicy(context, workspace, body, actorName(visitor))))
          throw new DashboardError(
            "not_possible_now",
            `No risk rules apply in ${modeOf(workspace.tenant)} mode, so this setting would have no effect.`,
          );
        return await readAdmissionPolicy(context, workspace.tenant);
      },
    );

    app.get(
      "/data/:account/:mode/card-testing",
      { config: { needs: "data.read" }, schema: { params: WorkspacePath } },
      async ({ workspace }): Promise<CardTesting> => {
        const since = new Date(context.now().getTime() - shownForMs);
        const report = await findRecentReport(context.db, workspace.tenant, since);
        return { report: report === undefined ? null : toCardTestingReport(report) };
      },
    );
  };
}
