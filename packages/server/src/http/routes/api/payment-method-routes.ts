/** `/api/v1/payment_methods`. */
import { UpdatePaymentMethod } from "@oriel/protocol/api";
import {
  detachPaymentMethod,
  retrievePaymentMethod,
  updatePaymentMethod,
} from "../../../payments/payment-methods/payment-methods.ts";
import type { Context } from "../../context.ts";
import { causeOfRequest, inOneTransaction, type IdempotentHooks } from "../idempotent-post.ts";
import { Nothing } from "../params.ts";
import { action, change, retrieval, type ApiInstance, type Noun } from "./describe.ts";

export const paymentMethod: Noun = { one: "a payment method", many: "Payment methods", schema: "PaymentMethod" };

export function paymentMethodRoutes(app: ApiInstance, context: Context, idempotent: IdempotentHooks): void {
  app.get(
    "/payment_methods/:id",
    { schema: retrieval(paymentMethod) },
    async ({ tenant, params }) => await retrievePaymentMethod(context, tenant, params.id),
  );
  app.patch(
    "/payment_methods/:id",
    {
      schema: change(
        paymentMethod,
        "Update",
        UpdatePaymentMethod,
        "Changes the fields that you send. Other fields keep their values.",
      ),
    },
    async (request) => {
      const { tenant, params, body } = request;
      return await context.db
        .transaction()
        .execute((tx) => updatePaymentMethod(context, tx, tenant, params.id, body, causeOfRequest(request)));
    },
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
      await inOneTransaction(context, request, reply, (tx, cause) =>
        detachPaymentMethod(context, tx, request.tenant, request.params.id, cause),
      ),
  );
}
