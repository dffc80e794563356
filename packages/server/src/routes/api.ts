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
import type { Context } from "../context.ts";
import type { Tenant } from "../tenant.ts";
import { ApiError } from "../errors.ts";
import { createDecision, retrieveDecision } from "../decisions/decisions.ts";
import { noteCharge } from "../idempotency/idempotency.ts";
import { readBearer } from "./bearer.ts";
import { idempotentHooks } from "./idempotent-post.ts";
import { ById, closed, Id, NoQuery } from "./params.ts";
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

const ChargesQuery = Type.Object(
  { ...shapes.ListQuery.properties, decision_id: Type.Optional(Id), session_id: Type.Optional(Id) },
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

/** What a kind of object is called in the description, and its schema. */
interface Noun {
  one: string;
  many: string;
  schema: string;
}

const session: Noun = { one: "a checkout session", many: "Checkout sessions", schema: "CheckoutSession" };
const decision: Noun = { one: "a decision", many: "Decisions", schema: "Decision" };
const charge: Noun = { one: "a charge", many: "Charges", schema: "Charge" };
const webhookEndpoint: Noun = { one: "a webhook endpoint", many: "Webhook endpoints", schema: "WebhookEndpoint" };
const event: Noun = { one: "an event", many: "Events", schema: "Event" };

/** What every answer can be, beside the one that was asked for. */
const answers = (success: TSchema) => ({ 200: success, "4xx": Type.Ref("Error"), "5xx": Type.Ref("Error") });
const security = [{ secretKey: [] }];

/** For the description only: the key itself is read and checked before anything else of the request (`idempotent-post.ts`). */
const IdempotencyKey = Type.Object({
  "idempotency-key": Type.Optional(
    Type.String({
      description: "1 to 255 visible ASCII characters. The same key with the same request gets the same answer for 24 hours.",
    }),
  ),
});

function creation<B extends TSchema>(noun: Noun, body: B, description: string, answer = noun.schema) {
  const response = answers(Type.Ref(answer));
  const summary = `Create ${noun.one}`;
  return { tags: [noun.many], summary, description, security, headers: IdempotencyKey, querystring: NoQuery, body, response };
}

function retrieval(noun: Noun) {
  const response = answers(Type.Ref(noun.schema));
  return { tags: [noun.many], summary: `Retrieve ${noun.one}`, security, params: ById, querystring: NoQuery, response };
}

function listing<Q extends TSchema>(noun: Noun, querystring: Q) {
  const page = { object: Type.Literal("list"), data: Type.Array(Type.Ref(noun.schema)), has_more: Type.Boolean() };
  const response = answers(Type.Object(page, closed));
  return { tags: [noun.many], summary: `List ${noun.many.toLowerCase()}`, security, querystring, response };
}

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
    app.decorateRequest("keyClaim", null);
    app.addHook("onRequest", async (request) => {
      request.tenant = await authenticateApiKey(context, readBearer(request.headers.authorization));
      if (request.tenant.livemode)
        throw new ApiError("live_mode_unavailable", "Live mode is off on this service. Use a test key.");
    });

    const typed = app.withTypeProvider<TypeBoxTypeProvider>();
    const idempotent = idempotentHooks(context);
    const claimKey = idempotent.preHandler;

    const createdSession = "Gives the `embed_url` for the loader or a redirect. It is not shown again.";
    typed.post(
      "/checkout_sessions",
      {
        ...idempotent,
        preHandler: [async ({ tenant, body }) => await checkCheckoutSession(context, tenant, body), claimKey],
        schema: creation(session, shapes.CreateCheckoutSession, createdSession, "CreatedCheckoutSession"),
      },
      async ({ tenant, body }) => await createCheckoutSession(context, tenant, body),
    );
    typed.get(
      "/checkout_sessions",
      { schema: listing(session, shapes.ListQuery) },
      async ({ tenant, query }) => await listCheckoutSessions(context, tenant, query),
    );
    typed.get(
      "/checkout_sessions/:id",
      { schema: retrieval(session) },
      async ({ tenant, params }) => await retrieveCheckoutSession(context, tenant, params.id),
    );

    const createdDecision = "With the customer absent. In test mode with one of the `pm_card_...` payment methods.";
    typed.post(
      "/decisions",
      {
        ...idempotent,
        preHandler: [async ({ body }) => checkCurrency(body.currency), claimKey],
        schema: creation(decision, shapes.CreateDecision, createdDecision),
      },
      async ({ tenant, body }) => await createDecision(context, tenant, body),
    );
    typed.get(
      "/decisions/:id",
      { schema: retrieval(decision) },
      async ({ tenant, params }) => await retrieveDecision(context, tenant, params.id),
    );

    const createdCharge =
      "Consumes an approved decision. A decline answers 402; an outcome that is not known yet 503, and the same Idempotency-Key asks for it later.";
    typed.post(
      "/charges",
      {
        ...idempotent,
        preHandler: [async ({ body }) => checkCurrency(body.currency), claimKey],
        schema: creation(charge, shapes.CreateCharge, createdCharge),
      },
      async ({ tenant, body, keyClaim, id: requestId }) =>
        await createCharge(context, tenant, body, { requestId, idempotencyKey: keyClaim?.key ?? null }, async (tx, chargeId) => {
          if (keyClaim !== null) await noteCharge(tx, keyClaim, chargeId);
        }),
    );
    typed.get(
      "/charges",
      { schema: listing(charge, ChargesQuery) },
      async ({ tenant, query }) => await listCharges(context, tenant, query),
    );
    typed.get(
      "/charges/:id",
      { schema: retrieval(charge) },
      async ({ tenant, params }) => await retrieveCharge(context, tenant, params.id),
    );

    const createdEndpoint = "Gives the signing secret. It is not shown again.";
    typed.post(
      "/webhook_endpoints",
      {
        ...idempotent,
        preHandler: [async ({ tenant, body }) => checkWebhookEndpoint(context, tenant, body), claimKey],
        schema: creation(webhookEndpoint, shapes.CreateWebhookEndpoint, createdEndpoint, "CreatedWebhookEndpoint"),
      },
      async ({ tenant, body }) => await createWebhookEndpoint(context, tenant, body),
    );
    typed.get(
      "/webhook_endpoints",
      { schema: listing(webhookEndpoint, shapes.ListQuery) },
      async ({ tenant, query }) => await listWebhookEndpoints(context, tenant, query),
    );
    typed.get(
      "/webhook_endpoints/:id",
      { schema: retrieval(webhookEndpoint) },
      async ({ tenant, params }) => await retrieveWebhookEndpoint(context, tenant, params.id),
    );

    typed.get(
      "/events",
      { schema: listing(event, EventsQuery) },
      async ({ tenant, query }) => await listEvents(context, tenant, query),
    );
    typed.get(
      "/events/:id",
      { schema: retrieval(event) },
      async ({ tenant, params }) => await retrieveEvent(context, tenant, params.id),
    );
  };
}
