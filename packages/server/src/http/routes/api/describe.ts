/** Builds the schemas of the API's routes, which validate requests and describe the routes in the OpenAPI document. */
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from "fastify";
import Type, { type TProperties, type TSchema } from "typebox";
import * as shapes from "@oriel/protocol/api";
import { declineCodes } from "@oriel/protocol/declines";
import { errorCodes, statusOfType } from "@oriel/protocol/errors";
import { ById, closed, NoQuery } from "../params.ts";

/** A Fastify instance that infers the types of requests from the routes' schemas. */
export type ApiInstance = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** A type of object: its names in the OpenAPI document, and its schema. */
export interface Noun {
  one: string;
  many: string;
  schema: string;
}

/** For operations that need the acquirer. */
export const unknownLater =
  "If the outcome isn't known yet, the response has the status 503. To get the outcome, send the request again later with the same Idempotency-Key.";

/** Only describes the header. `idempotent-post.ts` reads and checks it before the request is validated. */
const IdempotencyKey = Type.Object({
  "idempotency-key": Type.Optional(
    Type.String({
      description:
        "A unique key of 1 to 255 visible ASCII characters. If you repeat the same request with the same key within 24 hours, you get the same response.",
    }),
  ),
});

const security = [{ secretKey: [] }];

export function creation<B extends TSchema>(noun: Noun, body: B, description: string, response = noun.schema) {
  const named = { operationId: `create${noun.schema}`, summary: `Create ${noun.one}`, tags: [noun.many] };
  return {
    ...named,
    description,
    security,
    headers: IdempotencyKey,
    querystring: NoQuery,
    body,
    response: successResponse(noun, response),
  };
}

/**
 * An action on an existing object.
 * @param verb as in "Capture a charge"; its first word becomes part of the operation's ID
 */
export function action<B extends TSchema>(
  noun: Noun,
  verb: string,
  body: B,
  description: string,
  response = noun.schema,
) {
  return { ...creation(noun, body, description, response), ...namedBy(verb, noun), params: ById };
}

/** PATCH. It needs no idempotency key, because repeating it has no further effect. */
export function change<B extends TSchema>(noun: Noun, verb: string, body: B, description: string) {
  return { ...withoutKey(noun, verb, description, noun.schema), body };
}

/** DELETE. */
export function removal(noun: Noun, description: string) {
  return withoutKey(noun, "Delete", description, `Deleted${noun.schema}`);
}

function withoutKey(noun: Noun, verb: string, description: string, response: string) {
  const described = { ...namedBy(verb, noun), tags: [noun.many], description, security };
  return { ...described, params: ById, querystring: NoQuery, response: successResponse(noun, response) };
}

export function retrieval(noun: Noun) {
  const named = { operationId: `retrieve${noun.schema}`, summary: `Retrieve ${noun.one}`, tags: [noun.many] };
  return { ...named, security, params: ById, querystring: NoQuery, response: successResponse(noun, noun.schema) };
}

/**
 * @param more additional members of the list object, besides `object`, `data` and `has_more`
 * @param order of the list
 */
export function listing<Q extends TSchema>(
  noun: Noun,
  querystring: Q,
  more: TProperties = {},
  order: "newest" | "oldest" | "last used" = "newest",
) {
  const operationId = `list${noun.many.replace(/ (\w)/g, (_, first: string) => first.toUpperCase())}`;
  const named = { operationId, summary: `List ${noun.many.toLowerCase()}`, tags: [noun.many] };
  const members = {
    object: Type.Literal("list"),
    data: Type.Array(Type.Ref(noun.schema)),
    has_more: Type.Boolean(),
    ...more,
  };
  const page = Type.Object(members, { ...closed, description: `${noun.many}, ${order} first.` });
  return { ...named, security, querystring, response: { 200: page } };
}

function namedBy(verb: string, noun: Noun) {
  return { operationId: `${verb.toLowerCase().replace(/ .*/, "")}${noun.schema}`, summary: `${verb} ${noun.one}` };
}

/** Describes the successful response. `openapi-document.ts` adds the errors. */
function successResponse(noun: Noun, schema: string) {
  const description = schema.endsWith(noun.schema) ? `${noun.one.replace(/^an? /, "The ")}.` : `${schema}.`;
  return { 200: Type.Ref(schema, { description }) };
}

const ErrorResponse = Type.Object(
  {
    error: Type.Object(
      {
        type: Type.Enum(Object.keys(statusOfType)),
        code: Type.Enum(Object.keys(errorCodes), {
          description: "A machine-readable error code. The `Link` header points to its documentation.",
        }),
        message: Type.String({ description: "A message for developers. Don't show it to customers." }),
        param: Type.Optional(
          Type.String({ description: "The field or header that caused the error, such as `line_items[0].amount`." }),
        ),
        decline_code: Type.Optional(
          Type.Enum([...declineCodes], {
            description: "Why the card was declined. Set for every error of type `card_error`.",
          }),
        ),
      },
      closed,
    ),
  },
  { ...closed, $id: "Error", description: "The body of every error response." },
);

export function addSchemas(app: FastifyInstance): void {
  for (const schema of [
    shapes.CheckoutSession,
    shapes.CreatedCheckoutSession,
    shapes.Decision,
    shapes.Charge,
    shapes.Refund,
    shapes.Dispute,
    shapes.LedgerEntry,
    shapes.Customer,
    shapes.DeletedCustomer,
    shapes.PaymentMethod,
    shapes.WebhookEndpoint,
    shapes.CreatedWebhookEndpoint,
    shapes.DeletedWebhookEndpoint,
    shapes.Delivery,
    shapes.Redelivery,
    shapes.Event,
    ErrorResponse,
  ]) {
    app.addSchema(schema);
  }
}
