/** `/api/v1/customers`, and giving saved cards to customers. */
import Type from "typebox";
import { AttachPaymentMethod, CreateCustomer, UpdateCustomer } from "@oriel/protocol/api";
import { listQuery } from "@oriel/protocol/shapes";
import {
  attachPaymentMethod,
  deleteCustomer,
  listCardsOfCustomer,
} from "../../../payments/customers/cards-of-customer.ts";
import {
  createCustomer,
  listCustomers,
  retrieveCustomer,
  updateCustomer,
} from "../../../payments/customers/customers.ts";
import type { Context } from "../../context.ts";
import { causeOfRequest, inOneTransaction, type IdempotentHooks } from "../idempotent-post.ts";
import { ById, closed, NoQuery } from "../params.ts";
import { action, change, creation, listing, removal, retrieval, type ApiInstance, type Noun } from "./describe.ts";
import { paymentMethod } from "./payment-method-routes.ts";

const customer: Noun = { one: "a customer", many: "Customers", schema: "Customer" };

const CustomersQuery = Type.Object(
  {
    ...listQuery("cus").properties,
    reference: Type.Optional(
      Type.String({ maxLength: 200, description: "Returns only the customer with this reference." }),
    ),
    email: Type.Optional(
      Type.String({ maxLength: 254, description: "Returns only customers with exactly this email address." }),
    ),
  },
  closed,
);

export function customerRoutes(app: ApiInstance, context: Context, idempotent: IdempotentHooks): void {
  app.post(
    "/customers",
    {
      ...idempotent,
      schema: creation(
        customer,
        CreateCustomer,
        "Creates a customer. If you send your own ID as `reference`, you can't create the same customer twice.",
      ),
    },
    async (request, reply) =>
      await inOneTransaction(context, request, reply, (tx) =>
        createCustomer(context, tx, request.tenant, request.body),
      ),
  );
  app.get(
    "/customers",
    { schema: listing(customer, CustomersQuery) },
    async ({ tenant, query }) => await listCustomers(context, tenant, query),
  );
  app.get(
    "/customers/:id",
    { schema: retrieval(customer) },
    async ({ tenant, params }) => await retrieveCustomer(context, tenant, params.id),
  );
  app.patch(
    "/customers/:id",
    {
      schema: change(
        customer,
        "Update",
        UpdateCustomer,
        "Changes the fields that you send, and clears those that are null. Other fields keep their values.",
      ),
    },
    async ({ tenant, params, body }) => await updateCustomer(context, tenant, params.id, body),
  );
  app.delete(
    "/customers/:id",
    {
      schema: removal(
        customer,
        "Deletes the customer's personal data, and detaches their cards. A payment in progress can still finish.",
      ),
    },
    async (request) => {
      const { tenant, params } = request;
      return await context.db
        .transaction()
        .execute((tx) => deleteCustomer(context, tx, tenant, params.id, causeOfRequest(request)));
    },
  );
  const cards = listing(paymentMethod, NoQuery, {}, "last used");
  app.get(
    "/customers/:id/payment_methods",
    {
      schema: {
        ...cards,
        operationId: "listCustomerPaymentMethods",
        summary: "List the payment methods of a customer",
        tags: [customer.many],
        params: ById,
        description: "Lists all saved cards of the customer, at most 100: last used first, then newest.",
      },
    },
    async ({ tenant, params }) => await listCardsOfCustomer(context, tenant, params.id),
  );
  app.post(
    "/payment_methods/:id/attach",
    {
      ...idempotent,
      schema: action(
        paymentMethod,
        "Attach",
        AttachPaymentMethod,
        "Gives a saved card to a customer. A card can't move to another customer later.",
      ),
    },
    async (request, reply) => {
      const { tenant, params, body } = request;
      return await inOneTransaction(context, request, reply, (tx, cause) =>
        attachPaymentMethod(context, tx, tenant, params.id, body, cause),
      );
    },
  );
}
