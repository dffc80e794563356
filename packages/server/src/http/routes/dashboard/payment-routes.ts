/** The dashboard's overview, its search of payments, and a payment's page. */
import { Readable } from "node:stream";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import {
  OverviewQuery,
  PaymentsCsvQuery,
  PaymentsQuery,
  type Overview,
  type PaymentDetail,
  type PaymentPage,
} from "@oriel/protocol/dashboard/payments";
import { readOverview } from "../../../payments/reporting/overview.ts";
import { searchPayments } from "../../../payments/reporting/payment-search.ts";
import { paymentsCsv } from "../../../payments/reporting/payments-csv.ts";
import { shareResults } from "../../../platform/share-results.ts";
import { modeOf } from "../../../platform/tenant.ts";
import type { Context } from "../../context.ts";
import { WorkspacePath, WorkspacePathById } from "./account-params.ts";
import { retrievePayment } from "./payment-timeline.ts";

export function paymentRoutes(context: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    const reading = { config: { needs: "data.read" } } as const;
    const at = "/data/:account/:mode";
    const shareOverview = shareResults<Overview>();

    app.get(
      `${at}/overview`,
      { ...reading, schema: { params: WorkspacePath, querystring: OverviewQuery } },
      async ({ workspace: { tenant }, query: { days = "30" } }): Promise<Overview> =>
        await shareOverview(`${tenant.accountNo} ${modeOf(tenant)} ${days}`, () =>
          readOverview(context, tenant, Number(days)),
        ),
    );

    app.get(
      `${at}/payments`,
      { ...reading, schema: { params: WorkspacePath, querystring: PaymentsQuery } },
      async ({ workspace, query }): Promise<PaymentPage> => {
        const { limit = "25", starting_after: startingAfter = null, ...filters } = query;
        return await searchPayments(context, workspace.tenant, filters, { limit: Number(limit), startingAfter });
      },
    );
    app.get(
      `${at}/payments.csv`,
      { ...reading, schema: { params: WorkspacePath, querystring: PaymentsCsvQuery } },
      async ({ workspace, query }, reply) => {
        const day = context.now().toISOString().slice(0, 10);
        const name = `payments-${modeOf(workspace.tenant)}-${day}.csv`;
        void reply.type("text/csv; charset=utf-8").header("content-disposition", `attachment; filename="${name}"`);
        void reply.header("x-accel-buffering", "no"); // nginx passes on each piece at once, including heartbeats
        return reply.send(Readable.from(paymentsCsv(context, workspace.tenant, query)));
      },
    );
    app.get(
      `${at}/payments/:id`,
      { ...reading, schema: { params: WorkspacePathById } },
      async ({ workspace, params }): Promise<PaymentDetail> =>
        await retrievePayment(context, workspace.tenant, params.id),
    );
  };
}
