/** Customers' saved payment methods in the dashboard. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Nothing, PaymentMethodsQuery, type Page, type SavedPaymentMethod } from "@oriel/protocol/dashboard/payments";
import { detachPaymentMethod, listSavedPaymentMethods } from "../../../payments/payment-methods/payment-methods.ts";
import type { Context } from "../../context.ts";
import { idempotentHooks, inOneTransaction } from "../idempotent-post.ts";
import { WorkspacePath, WorkspacePathById } from "./account-params.ts";
import { auditInWorkspace, keysOfDashboard } from "./idempotency.ts";

export function paymentMethodRoutes(context: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.decorateRequest("keyClaim", null);
    const at = "/data/:account/:mode";

    app.get(
      `${at}/payment-methods`,
      { config: { needs: "data.read" }, schema: { params: WorkspacePath, querystring: PaymentMethodsQuery } },
      async ({ workspace, query }): Promise<Page<SavedPaymentMethod>> => {
        const { data, has_more } = await listSavedPaymentMethods(context, workspace.tenant, { limit: "25", ...query });
        return { data, has_more };
      },
    );
    app.post(
      `${at}/payment-methods/:id/detach`,
      {
        config: { needs: "payments.manage" },
        ...idempotentHooks(context, keysOfDashboard),
        schema: { params: WorkspacePathById, body: Nothing },
      },
      async (request, reply) =>
        await inOneTransaction(
          context,
          request,
          reply,
          (tx, cause) => detachPaymentMethod(context, tx, request.workspace.tenant, request.params.id, cause),
          async (tx) => await auditInWorkspace(context, tx, request, "payment_method.detached", request.params.id, {}),
        ),
    );
  };
}
