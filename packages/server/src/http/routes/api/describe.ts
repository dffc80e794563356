/** How the API's routes describe themselves: the schemas that validate, named as the OpenAPI document shows them. */
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

/** Fastify, where a route's schema types its request. */
export type ApiInstance = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** What a kind of object is called in the description, and its schema. */
export interface Noun {
  one: string;
  many: string;
  schema: string;
}

/** For what the bank takes part in. */
export const unknownLater = "An outcome that is not known yet answers 503; the same Idempotency-Key asks for it later.";

/**
 * For the description only: the key itself is read and checked before anything else of the request
 * (`idempotent-post.ts`).
 */
const IdempotencyKey = Type.Object({
  "idempotency-key": Type.Optional(
    Type.String({
      description:
        "1 to 255 visible ASCII characters. The same key with the same request gets the same answer for 24 hours.",
    }),
  ),
});

const security = [{ secretKey: [] }];

export function creation<B extends TSchema>(noun: Noun, body: B, description: string, answer = noun.schema) {
  const named = { operationId: `create${noun.schema}`, summary: `Create ${noun.one}`, tags: [noun.many] };
  return {
    ...named,
    description,
    security,
    headers: IdempotencyKey,
    querystring: NoQuery,
    body,
    response: answers(noun, answer),
  };
}

/**
 * Something that is done to an object that is there.
 * @param verb as in "Capture a charge"; its first word makes the operation's id
 */
export function action<B extends TSchema>(
  noun: Noun,
  verb: string,
  body: B,
  description: string,
  answer = noun.schema,
) {
  return { ...creation(noun, body, description, answer), ...namedBy(verb, noun), params: ById };
}

/** PATCH: what may be sent twice without a key, because the second time changes nothing. */
export function change<B extends TSchema>(noun: Noun, verb: string, body: B, description: string) {
  return { ...withoutKey(noun, verb, description, noun.schema), body };
}

/** DELETE. */
export function removal(noun: Noun, description: string) {
  return withoutKey(noun, "Delete", description, `Deleted${noun.schema}`);
}

function withoutKey(noun: Noun, verb: string, description: string, answer: string) {
  const described = { ...namedBy(verb, noun), tags: [noun.many], description, security };
  return { ...described, params: ById, querystring: NoQuery, response: answers(noun, answer) };
}

export function retrieval(noun: Noun) {
  const named = { operationId: `retrieve${noun.schema}`, summary: `Retrieve ${noun.one}`, tags: [noun.many] };
  return { ...named, security, params: ById, querystring: NoQuery, response: answers(noun, noun.schema) };
}

/** @param more members of the page beyond those of every list */
export function listing<Q extends TSchema>(noun: Noun, querystring: Q, more: TProperties = {}) {
  const operationId = `list${noun.many.replace(/ (\w)/g, (_, first: string) => first.toUpperCase())}`;
  const named = { operationId, summary: `List ${noun.many.toLowerCase()}`, tags: [noun.many] };
  const members = {
    object: Type.Literal("list"),
    data: Type.Array(Type.Ref(noun.schema)),
    has_more: Type.Boolean(),
    ...more,
  };
  const page = Type.Object(members, { ...closed, description: `${noun.many}, newest first.` });
  return { ...named, security, querystring, response: { 200: page } };
}

function namedBy(verb: string, noun: Noun) {
  return { operationId: `${verb.toLowerCase().replace(/ .*/, "")}${noun.schema}`, summary: `${verb} ${noun.one}` };
}

/** Only the answer that was asked for. What else an operation can answer is added in `openapi-document.ts`. */
function answers(noun: Noun, schema: string) {
  const description = schema.endsWith(noun.schema) ? `${noun.one.replace(/^an? /, "The ")}.` : `${schema}.`;
  return { 200: Type.Ref(schema, { description }) };
}

const ErrorAnswer = Type.Object(
  {
    error: Type.Object(
      {
        type: Type.Enum(Object.keys(statusOfType)),
        code: Type.Enum(Object.keys(errorCodes), {
          description: "For programs. docs/api/errors.md says what to do about each.",
        }),
        message: Type.String({ description: "For the developer who reads the log. Not for customers." }),
        param: Type.Optional(
          Type.String({ description: "The field or header that is wrong, as `line_items[0].amount`." }),
        ),
        decline_code: Type.Optional(
          Type.Enum([...declineCodes], { description: "On every `card_error`: why the card was declined." }),
        ),
      },
      closed,
    ),
  },
  { ...closed, $id: "Error", description: "Every answer that is not a success." },
);

export function addSchemas(app: FastifyInstance): void {
  for (const schema of [
    shapes.CheckoutSession,
    shapes.CreatedCheckoutSession,
    shapes.Decision,
    shapes.Charge,
    shapes.Refund,
    shapes.PaymentMethod,
    shapes.WebhookEndpoint,
    shapes.CreatedWebhookEndpoint,
    shapes.DeletedWebhookEndpoint,
    shapes.Delivery,
    shapes.Redelivery,
    shapes.Event,
    ErrorAnswer,
  ]) {
    app.addSchema(schema);
  }
}
