/**
 * The OpenAPI document around the routes: @fastify/swagger makes the paths of the schemas that validate, this adds what
 * those do not say. What the tags mean, the headers, the ways to refuse, an example of everything, and the webhooks.
 */
import type { FastifyDynamicSwaggerOptions } from "@fastify/swagger";
import { allEventTypes, apiVersion, type EventType } from "@oriel/protocol/api";
import { errorCodes, type ErrorBody, type ErrorCode } from "@oriel/protocol/errors";
import { eventDescriptions, eventExample, operationExamples } from "./examples.ts";

type Head = NonNullable<FastifyDynamicSwaggerOptions["openapi"]>;

/** All that is known before the routes are. @param apiUrl without a path */
export function documentHead(apiUrl: string): Head {
  return {
    openapi: "3.1.0",
    info: {
      title: "Oriel",
      version: apiVersion,
      description:
        "Create a checkout session on your server, mount its `embed_url` in your page, and learn the outcome from a signed webhook. The guides in `docs/api` say what schemas cannot.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: apiUrl }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    components: {
      securitySchemes: {
        secretKey: { type: "http", scheme: "bearer", description: "Your secret key: `oriel_sk_test_...`" },
      },
      headers,
      responses,
    },
    webhooks: Object.fromEntries(allEventTypes.map((type) => [type, webhook(type)])),
  };
}

/** Adds to each operation its examples, its headers, and the answers that refuse. */
export function completeDocument<D extends object>(document: D): D {
  const { paths } = document as { paths: Record<string, Record<string, Operation>> }; // made by the plugin, of our own routes
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(item)) complete(operation, method, path);
  }
  return document;
}

interface Operation {
  operationId: string;
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, object>;
}
type Content = Record<"application/json", { schema: object; example?: unknown }>;

function complete(operation: Operation, method: string, path: string): void {
  const { operationId, requestBody } = operation;
  const example = operationExamples[operationId];
  if (requestBody !== undefined) {
    requestBody.content["application/json"].example = example?.request;
    requestBody.required = operationId.startsWith("create"); // the others act on what the path names
  }
  const success = operation.responses["200"] as { content: Content; headers?: object }; // every route of ours has one
  success.content["application/json"].example = example?.answer;
  success.headers = headersOf(...everywhere, ...(method === "post" ? (["Idempotent-Replayed"] as const) : []));

  const refusals: (keyof typeof responses)[] = ["InvalidRequest", "Unauthorized"];
  if (asksTheBank.has(operationId)) refusals.push("CardDeclined");
  if (path.includes("{id}")) refusals.push("NotFound");
  if (method === "post") refusals.push("IdempotencyKeyInUse");
  refusals.push("TooManyRequests", "InternalError", "Unavailable");
  for (const name of refusals) operation.responses[statusOfResponse[name]] = { $ref: `#/components/responses/${name}` };
}

/** The operations that a bank can decline. */
const asksTheBank: ReadonlySet<string> = new Set(["createCharge", "captureCharge", "cancelCharge", "createRefund"]);

const tags = {
  "Checkout sessions": "One sale: created by your server, paid by the customer in the frame.",
  Decisions: "The verdict that lets one charge happen, once, for fifteen minutes.",
  Charges: "Money from a card: reserved or taken at once, then captured or let go.",
  Refunds: "Money that was taken is given back.",
  "Payment methods": "Cards by their tokens. A number never leaves the vault.",
  "Webhook endpoints": "Where events are sent to, signed.",
  Events: "What happened, in order; each is sent to every endpoint that wants its type.",
};

const headers = {
  "Request-Id": header(
    "Of this request. It stands in the service's log; tell it when you ask about an answer.",
    "string",
  ),
  "Idempotent-Replayed": header(
    "`true`: this is the stored answer to an earlier request with the same Idempotency-Key.",
    "string",
  ),
  RateLimit: header(
    'What is left: `"default";r=499;t=1`, 499 requests now, and more in a second. Absent where no limit is set.',
    "string",
  ),
  "RateLimit-Policy": header('The limit: `"default";q=500;w=5`, 500 requests in five seconds.', "string"),
  "Retry-After": header("Seconds to wait before you send the same request again.", "integer"),
  Link: header(
    'Where the error is documented: `</docs/errors#parameter_missing>; rel="help"`, relative to the request URL.',
    "string",
  ),
};

const everywhere = ["Request-Id", "RateLimit", "RateLimit-Policy"] as const;

const statusOfResponse = {
  InvalidRequest: "400",
  Unauthorized: "401",
  CardDeclined: "402",
  NotFound: "404",
  IdempotencyKeyInUse: "422",
  TooManyRequests: "429",
  InternalError: "500",
  Unavailable: "503",
} as const;

const responses = {
  InvalidRequest: response(
    "The request is wrong, or the object is not in the state that it needs. Sending it again changes nothing. Stored under the Idempotency-Key where execution had begun.",
    [...everywhere, "Idempotent-Replayed"],
    [refusal("parameter_missing", "`amount` is missing.", { param: "amount" })],
  ),
  Unauthorized: response("No secret key, one that is not valid any more, or one that may not do this.", everywhere, [
    refusal("api_key_invalid", "This secret key is not valid."),
  ]),
  CardDeclined: response(
    "The bank, or the decision before it, said no. Stored under the Idempotency-Key: a new try needs a new key.",
    [...everywhere, "Idempotent-Replayed"],
    [
      refusal(
        "card_declined",
        "The card has not enough funds. The customer can use another card, or try again another day.",
        {
          decline_code: "insufficient_funds",
        },
      ),
    ],
  ),
  NotFound: response(
    "Nothing that this key may see has this id: it was never there, or is another account's, or the other mode's.",
    [...everywhere, "Idempotent-Replayed"],
    [refusal("resource_missing", 'There is no charge "ch_1".')],
  ),
  IdempotencyKeyInUse: response("The Idempotency-Key was used for another request. Nothing was done.", everywhere, [
    refusal(
      "idempotency_key_in_use",
      "This Idempotency-Key was used for another request. Use a new key for a new request.",
      {
        param: "Idempotency-Key",
      },
    ),
  ]),
  TooManyRequests: response(
    "The account's limit is used up. Nothing was done.",
    [...everywhere, "Retry-After"],
    [refusal("rate_limited", "Too many requests. Wait as long as Retry-After says, and spread them out.")],
  ),
  InternalError: response(
    "Our mistake. Whether anything was done is open; the same Idempotency-Key makes it safe to ask.",
    everywhere,
    [
      refusal(
        "internal_error",
        "Something went wrong on our side. Tell us the request id req_01m7w8tm3pjcxkmvzs3hsh3r55.",
      ),
    ],
  ),
  Unavailable: response(
    "Not just now. Send the same request with the same Idempotency-Key after Retry-After; never a new one.",
    [...everywhere, "Retry-After"],
    [
      refusal(
        "payment_outcome_unknown",
        "The bank has not said yet what became of this. Do not try it anew: send this same request with the same Idempotency-Key later.",
      ),
      refusal(
        "idempotent_request_in_progress",
        "The first request with this Idempotency-Key is still running. Send this one again shortly.",
      ),
      refusal(
        "service_unavailable",
        "The service cannot answer just now. Send the request again shortly, under the same Idempotency-Key.",
      ),
    ],
  ),
};

function refusal(
  code: ErrorCode,
  message: string,
  details: Pick<ErrorBody["error"], "param" | "decline_code"> = {},
): ErrorBody {
  return { error: { type: errorCodes[code], code, message, ...details } };
}

function response(description: string, names: readonly (keyof typeof headers)[], bodies: readonly ErrorBody[]) {
  const examples = Object.fromEntries(bodies.map((value) => [value.error.code, { value }]));
  const schema = { $ref: "#/components/schemas/Error" };
  return { description, headers: headersOf("Link", ...names), content: { "application/json": { schema, examples } } };
}

function headersOf(...names: (keyof typeof headers)[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function header(description: string, type: "string" | "integer") {
  return { description, schema: { type } };
}

function webhook(type: EventType) {
  return {
    post: {
      operationId: `on_${type.replaceAll(".", "_")}`,
      summary: type,
      description: eventDescriptions[type],
      tags: ["Events"],
      security: [],
      parameters: [
        signed("Oriel-Signature", "`t=<unix>,v1=<hex>`: HMAC-SHA256 of `t.body` under the whole signing secret."),
        signed("webhook-id", "The event's id. The same in every try."),
        signed("webhook-timestamp", "Unix time in seconds, of this try."),
        signed("webhook-signature", "`v1,<base64>`: as Standard Webhooks has it."),
      ],
      requestBody: {
        required: true,
        content: {
          "application/json": { schema: { $ref: "#/components/schemas/Event" }, example: eventExample(type) },
        },
      },
      responses: {
        "2XX": { description: "You have it. Anything else, a redirect too, is tried again later." },
        "4XX": { description: "Tried again later; 410 disables the endpoint." },
      },
    },
  };
}

function signed(name: string, description: string) {
  return { name, in: "header", required: true, description, schema: { type: "string" as const } };
}
