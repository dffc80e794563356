/** Decisions and payment methods over HTTP. */
import { CreateDecision } from "@oriel/protocol/api";
import type { Context } from "../../context.ts";
import { createDecision, judgeDecision, retrieveDecision } from "../../decisions/decisions.ts";
import { checkCurrency } from "../../money/currency.ts";
import { detachPaymentMethod, retrievePaymentMethod } from "../../payment-methods/payment-methods.ts";
import { inOneTransaction, type IdempotentHooks } from "../idempotent-post.ts";
import { Nothing } from "../params.ts";
import { action, creation, retrieval, type ApiInstance, type Noun } from "./describe.ts";

const decision: Noun = { one: "a decision", many: "Decisions", schema: "Decision" };
const paymentMethod: Noun = { one: "a payment method", many: "Payment methods", schema: "PaymentMethod" };

export function decisionRoutes(app: ApiInstance, context: Context, idempotent: IdempotentHooks): void {
  const created = "With the customer absent: for a payment method that was saved, or in test mode one of the `pm_card_...`.";
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

  app.get(
    "/payment_methods/:id",
    { schema: retrieval(paymentMethod) },
    async ({ tenant, params }) => await retrievePaymentMethod(context, tenant, params.id),
  );
  app.post(
    "/payment_methods/:id/detach",
    {
      ...idempotent,
      schema: action(paymentMethod, "Detach", Nothing, "No decision is made with it from here on, and its card is erased."),
    },
    async (request, reply) =>
      await inOneTransaction(context, request, reply, (tx) => detachPaymentMethod(tx, request.tenant, request.params.id)),
  );
}
