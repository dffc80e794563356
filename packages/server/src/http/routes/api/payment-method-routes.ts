/** `/api/v1/payment_methods`. */
import { detachPaymentMethod, retrievePaymentMethod } from "../../../payments/payment-methods/payment-methods.ts";
import type { Context } from "../../context.ts";
import { inOneTransaction, type IdempotentHooks } from "../idempotent-post.ts";
import { Nothing } from "../params.ts";
import { action, retrieval, type ApiInstance, type Noun } from "./describe.ts";

const paymentMethod: Noun = { one: "a payment method", many: "Payment methods", schema: "PaymentMethod" };

export function paymentMethodRoutes(app: ApiInstance, context: Context, idempotent: IdempotentHooks): void {
  app.get(
    "/payment_methods/:id",
    { schema: retrieval(paymentMethod) },
    async ({ tenant, params }) => await retrievePaymentMethod(context, tenant, params.id),
  );
  app.post(
    "/payment_methods/:id/detach",
    {
      ...idempotent,
      schema: action(
        paymentMethod,
        "Detach",
        Nothing,
        "Erases the card data. You can no longer create decisions with the payment method.",
      ),
    },
    async (request, reply) =>
      await inOneTransaction(context, request, reply, (tx) =>
        detachPaymentMethod(context, tx, request.tenant, request.params.id),
      ),
  );
}
