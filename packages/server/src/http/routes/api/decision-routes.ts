/** `/api/v1/decisions`. */
import { CreateDecision } from "@oriel/protocol/api";
import type { Context } from "../../context.ts";
import { createDecision, judgeDecision, retrieveDecision } from "../../../payments/decisions/decisions.ts";
import { checkCurrency } from "../../../platform/money/currency.ts";
import { inOneTransaction, type IdempotentHooks } from "../idempotent-post.ts";
import { creation, retrieval, type ApiInstance, type Noun } from "./describe.ts";

const decision: Noun = { one: "a decision", many: "Decisions", schema: "Decision" };

export function decisionRoutes(app: ApiInstance, context: Context, idempotent: IdempotentHooks): void {
  const created =
    "Requests a decision for a payment without the customer present. Use a saved payment method or, in test mode, one of the `pm_card_...` test methods.";
  app.post(
    "/decisions",
    {
      ...idempotent,
      preHandler: [async ({ body }) => checkCurrency(body.currency), idempotent.preHandler],
      schema: creation(decision, CreateDecision, created),
    },
    async (request, reply) => {
      const { tenant, body } = request;
      const judged = await judgeDecision(context, tenant, body);
      return await inOneTransaction(context, request, reply, (tx) => createDecision(context, tx, tenant, body, judged));
    },
  );
  app.get(
    "/decisions/:id",
    { schema: retrieval(decision) },
    async ({ tenant, params }) => await retrieveDecision(context, tenant, params.id),
  );
}
