/**
 * The public API, `/api/v1`: HTTP in, HTTP out, nothing else. Each route names its schema, so that what validates is what the OpenAPI document
 * says, and one line of business.
 */
import type { FastifyInstance } from "fastify";
import type { FastifyPluginAsyncTypebox, TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import Type, { type TSchema } from "typebox";
import * as shapes from "@oriel/protocol/api";
import { declineCodes, errorCodes, statusOfType } from "@oriel/protocol/errors";
import { authenticateApiKey } from "../accounts/api-keys.ts";
import { createCharge, listCharges, retrieveCharge } from "../charges/charges.ts";
import type { Context, Origin, Tenant } from "../context.ts";
import { ApiError } from "../errors.ts";
import { createDecision, retrieveDecision } from "../decisions/decisions.ts";
import { noteCharge } from "../idempotency/idempotency.ts";
import { idempotentHooks } from "../idempotency/idempotent-route.ts";
import { checkCurrency } from "../money/currency.ts";
import {
  checkCheckoutSession,
  createCheckoutSession,
  listCheckoutSessions,
  retrieveCheckoutSession,
} from "../sessions/checkout-sessions.ts";
import { listEvents, retrieveEvent } from "../webhooks/events.ts";
import {
  checkWebhookEndpoint,
  createWebhookEndpoint,
  listWebhookEndpoints,
  retrieveWebhookEndpoint,
} from "../webhooks/webhook-endpoints.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Whose secret key came with the request. */
    tenant: Tenant;
  }
}

const closed = { additionalProperties: false } as const;
const NoQuery = Type.Object({}, closed);
const ById = Type.Object({ id: Type.String({ minLength: 1, maxLength: 100 }) }, closed);
const ChargesQuery = Type.Object(
  {
    ...shapes.ListQuery.properties,
    decision_id: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    session_id: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  },
  closed,
);
const EventsQuery = Type.Object(
  { ...shapes.ListQuery.properties, type: Type.Optional(Type.Enum([...shapes.eventTypes])) },
  closed,
);

const ErrorAnswer = Type.Object(
  {
    error: Type.Object(
      {
        type: Type.Enum(Object.keys(statusOfType)),
        code: Type.Enum(Object.keys(errorCodes)),
        message: Type.String(),
        param: Type.Optional(Type.String()),
        decline_code: Type.Optional(Type.Enum([...declineCodes])),
      },
      closed,
    ),
  },
  { ...closed, $id: "Error" },
);

/** What every answer can be, beside the one that was asked for. */
const answers = (success: TSchema) => ({ 200: success, "4xx": Type.Ref("Error"), "5xx": Type.Ref("Error") });
const listOf = (name: string) =>
  Type.Object({ object: Type.Literal("list"), data: Type.Array(Type.Ref(name)), has_more: Type.Boolean() }, closed);
const security = [{ secretKey: [] }];

export function addSchemas(app: FastifyInstance): void {
  const { CheckoutSession, CreatedCheckoutSession, Decision, Charge, WebhookEndpoint, CreatedWebhookEndpoint, Event } = shapes;
  for (const schema of [
    CheckoutSession,
    CreatedCheckoutSession,
    Decision,
    Charge,
    WebhookEndpoint,
    CreatedWebhookEndpoint,
    Event,
    ErrorAnswer,
  ]) {
    app.addSchema(schema);
  }
}

export function apiRoutes(context: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.decorateRequest("tenant", null as unknown as Tenant); // set by the next hook before any route can see it
    app.decorateRequest("idempotencyKey", null);
    app.addHook("onRequest", async (request) => {
      request.tenant = await authenticateApiKey(context, request.headers.authorization);
      if (request.tenant.livemode)
        throw new ApiError("live_mode_unavailable", "Live mode is off on this service. Use a test key.");
    });

    const typed = app.withTypeProvider<TypeBoxTypeProvider>();
    const idempotent = idempotentHooks(context);
    const claimKey = idempotent.preHandler;

    typed.post(
      "/checkout_sessions",
      {
        ...idempotent,
        preHandler: [async ({ tenant, body }) => await checkCheckoutSession(context, tenant, body), claimKey],
        schema: {
          tags: ["Checkout sessions"],
          summary: "Create a checkout session",
          description: "Gives the `embed_url` for the loader or a redirect. It is not shown again.",
          security,
          querystring: NoQuery,
          body: shapes.CreateCheckoutSession,
          response: answers(Type.Ref("CreatedCheckoutSession")),
        },
      },
      async ({ tenant, body }) => await createCheckoutSession(context, tenant, body),
    );
    typed.get(
      "/checkout_sessions",
      {
        schema: {
          tags: ["Checkout sessions"],
          summary: "List checkout sessions",
          security,
          querystring: shapes.ListQuery,
          response: answers(listOf("CheckoutSession")),
        },
      },
      async ({ tenant, query }) => await listCheckoutSessions(context, tenant, query),
    );
    typed.get(
      "/checkout_sessions/:id",
      {
        schema: {
          tags: ["Checkout sessions"],
          summary: "Retrieve a checkout session",
          security,
          params: ById,
          querystring: NoQuery,
          response: answers(Type.Ref("CheckoutSession")),
        },
      },
      async ({ tenant, params }) => await retrieveCheckoutSession(context, tenant, params.id),
    );

    typed.post(
      "/decisions",
      {
        ...idempotent,
        preHandler: [async ({ body }) => checkCurrency(body.currency), claimKey],
        schema: {
          tags: ["Decisions"],
          summary: "Ask for a decision with the customer absent",
          description: "In test mode with one of the `pm_card_...` payment methods.",
          security,
          querystring: NoQuery,
          body: shapes.CreateDecision,
          response: answers(Type.Ref("Decision")),
        },
      },
      async ({ tenant, body }) => await createDecision(context, tenant, body),
    );
    typed.get(
      "/decisions/:id",
      {
        schema: {
          tags: ["Decisions"],
          summary: "Retrieve a decision",
          security,
          params: ById,
          querystring: NoQuery,
          response: answers(Type.Ref("Decision")),
        },
      },
      async ({ tenant, params }) => await retrieveDecision(context, tenant, params.id),
    );

    typed.post(
      "/charges",
      {
        ...idempotent,
        preHandler: [async ({ body }) => checkCurrency(body.currency), claimKey],
        schema: {
          tags: ["Charges"],
          summary: "Charge a payment method",
          description:
            "Consumes an approved decision. A decline answers 402; an outcome that is not known yet 503, and the same Idempotency-Key asks for it later.",
          security,
          querystring: NoQuery,
          body: shapes.CreateCharge,
          response: answers(Type.Ref("Charge")),
        },
      },
      async (request) => {
        const { tenant, body, idempotencyKey } = request;
        const origin: Origin = { requestId: request.id, idempotencyKey };
        return await createCharge(context, tenant, body, origin, async (tx, chargeId) => {
          if (idempotencyKey !== null) await noteCharge(tx, tenant, idempotencyKey, chargeId);
        });
      },
    );
    typed.get(
      "/charges",
      {
        schema: {
          tags: ["Charges"],
          summary: "List charges",
          security,
          querystring: ChargesQuery,
          response: answers(listOf("Charge")),
        },
      },
      async ({ tenant, query }) => await listCharges(context, tenant, query),
    );
    typed.get(
      "/charges/:id",
      {
        schema: {
          tags: ["Charges"],
          summary: "Retrieve a charge",
          security,
          params: ById,
          querystring: NoQuery,
          response: answers(Type.Ref("Charge")),
        },
      },
      async ({ tenant, params }) => await retrieveCharge(context, tenant, params.id),
    );

    typed.post(
      "/webhook_endpoints",
      {
        ...idempotent,
        preHandler: [async ({ tenant, body }) => checkWebhookEndpoint(context, tenant, body), claimKey],
        schema: {
          tags: ["Webhook endpoints"],
          summary: "Create a webhook endpoint",
          description: "Gives the signing secret. It is not shown again.",
          security,
          querystring: NoQuery,
          body: shapes.CreateWebhookEndpoint,
          response: answers(Type.Ref("CreatedWebhookEndpoint")),
        },
      },
      async ({ tenant, body }) => await createWebhookEndpoint(context, tenant, body),
    );
    typed.get(
      "/webhook_endpoints",
      {
        schema: {
          tags: ["Webhook endpoints"],
          summary: "List webhook endpoints",
          security,
          querystring: shapes.ListQuery,
          response: answers(listOf("WebhookEndpoint")),
        },
      },
      async ({ tenant, query }) => await listWebhookEndpoints(context, tenant, query),
    );
    typed.get(
      "/webhook_endpoints/:id",
      {
        schema: {
          tags: ["Webhook endpoints"],
          summary: "Retrieve a webhook endpoint",
          security,
          params: ById,
          querystring: NoQuery,
          response: answers(Type.Ref("WebhookEndpoint")),
        },
      },
      async ({ tenant, params }) => await retrieveWebhookEndpoint(context, tenant, params.id),
    );

    typed.get(
      "/events",
      {
        schema: {
          tags: ["Events"],
          summary: "List events",
          security,
          querystring: EventsQuery,
          response: answers(listOf("Event")),
        },
      },
      async ({ tenant, query }) => await listEvents(context, tenant, query),
    );
    typed.get(
      "/events/:id",
      {
        schema: {
          tags: ["Events"],
          summary: "Retrieve an event",
          security,
          params: ById,
          querystring: NoQuery,
          response: answers(Type.Ref("Event")),
        },
      },
      async ({ tenant, params }) => await retrieveEvent(context, tenant, params.id),
    );
  };
}
