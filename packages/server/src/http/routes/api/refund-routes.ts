/** `/api/v1/refunds`. */
import Type from "typebox";
import { CreateRefund } from "@oriel/protocol/api";
import { id, listQuery } from "@oriel/protocol/shapes";
import { requireExpressiblePart } from "../../../payments/charges/require-expressible-part.ts";
import { beginRefund, beginRefundAtOnce } from "../../../payments/flow/begin-refund.ts";
import { listRefunds, retrieveRefund } from "../../../payments/flow/refunds.ts";
import type { Context } from "../../context.ts";
import { hooksAtOnce, withAcquirerAtOnce, type IdempotentHooks } from "../idempotent-post.ts";
import { closed } from "../params.ts";
import { creation, listing, retrieval, unknownLater, type ApiInstance, type Noun } from "./describe.ts";

const refund: Noun = { one: "a refund", many: "Refunds", schema: "Refund" };

const RefundsQuery = Type.Object({ ...listQuery("re").properties, charge_id: Type.Optional(id("ch")) }, closed);

export function refundRoutes(app: ApiInstance, context: Context, idempotent: IdempotentHooks): void {
  const refunds = `Refunds a charge in full or in part. You can refund a charge several times, up to the captured amount in total. Chargebacks don't lower this amount: if you refund a charge after a chargeback, the customer gets the money twice. ${unknownLater}`;
  app.post(
    "/refunds",
    {
      ...hooksAtOnce(idempotent),
      preHandler: async ({ tenant, acquirerAccountId, body: { charge_id: chargeId, amount } }) =>
        await requireExpressiblePart(context, tenant, { acquirerAccountId, chargeId, amount }),
      schema: creation(refund, CreateRefund, refunds),
    },
    async (request, reply) => {
      const { tenant, body } = request;
      return await withAcquirerAtOnce(
        context,
        request,
        reply,
        (cause, key) => beginRefundAtOnce(context, context.db, tenant, body, cause, key),
        (tx, cause) => beginRefund(context, tx, tenant, body, cause),
      );
    },
  );
  app.get(
    "/refunds",
    { schema: listing(refund, RefundsQuery) },
    async ({ tenant, query }) => await listRefunds(context, tenant, query),
  );
  app.get(
    "/refunds/:id",
    { schema: retrieval(refund) },
    async ({ tenant, params }) => await retrieveRefund(context, tenant, params.id),
  );
}
