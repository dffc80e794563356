/**
 * The acquirer's HTTP interface, as `@oriel/protocol/acquirer` publishes it: Bearer key, JSON, nothing coerced, no unknown field.
 * Answers carry the last four digits of a card and no more; errors say which field was wrong and never what it held.
 */
import { randomUUID } from "node:crypto";
import { maxAmountMinor, isCurrency } from "@oriel/protocol/currency";
import type { Authorization, AuthorizationRequest } from "@oriel/protocol/acquirer";
import type { FastifyInstance } from "fastify";
import type { BankSecret } from "../bank-secret.ts";
import { requireBearer } from "../bearer.ts";
import { outcomeOf } from "../cards.ts";
import type { Clock } from "../clock.ts";
import type { Books } from "./books.ts";

interface Acquirer {
  apiKey: string;
  books: Books;
  secret: BankSecret;
  clock: Clock;
}

export function acquirerRoutes(app: FastifyInstance, { apiKey, books, secret, clock }: Acquirer): void {
  app.addHook("onRequest", requireBearer(apiKey));

  app.post<{ Body: AuthorizationRequest }>("/authorizations", { schema: { body: requestSchema } }, async (request, reply) => {
    const { body } = request;
    if (!isCurrency(body.currency)) return reply.code(400).send({ error: { message: "body/currency is not an ISO 4217 code" } });

    const entered = await books.enter(body.reference, secret.fingerprint(body), () => authorize(body, secret, clock.now()));
    if (entered !== "conflict") return entered;
    const message =
      "This reference was used for a different request. A reference names one attempt; take a new one for a new attempt.";
    return reply.code(409).send({ error: { message } });
  });

  app.get<{ Params: { reference: string } }>(
    "/authorizations/:reference",
    { schema: { params: { type: "object", properties: { reference: referenceSchema } } } },
    async (request, reply) => {
      const found = await books.find(request.params.reference);
      return found ?? reply.code(404).send({ error: { message: "The bank has never heard of this reference." } });
    },
  );

  app.get("/authorizations", async () => ({ authorizations: await books.all() }));
}

/** The answer to a request under a new reference. Whether proof of authentication came with it changes who bears fraud, not the answer. */
function authorize(request: AuthorizationRequest, secret: BankSecret, nowMs: number): Authorization {
  const outcome = outcomeOf(request.card, nowMs);
  const isApproved = outcome === "approved";
  return {
    reference: request.reference,
    status: isApproved ? "approved" : "declined",
    amount: request.amount,
    currency: request.currency,
    captured: isApproved && request.capture,
    ...(isApproved ? {} : { decline_code: outcome }),
    authorization_id: `bank_${randomUUID()}`,
    card: { last4: request.card.number.slice(-4) },
    authenticated: secret.isAuthenticated(request),
    requests: 1,
    created: Math.floor(nowMs / 1000),
  };
}

const referenceSchema = { type: "string", pattern: "^[0-9A-Za-z_.:-]{1,100}$" };

const requestSchema = {
  type: "object",
  additionalProperties: false,
  required: ["reference", "amount", "currency", "capture", "card"],
  properties: {
    reference: referenceSchema,
    amount: { type: "integer", minimum: 1, maximum: maxAmountMinor },
    currency: { type: "string", pattern: "^[a-z]{3}$" },
    capture: { type: "boolean" },
    card: {
      type: "object",
      additionalProperties: false,
      required: ["number", "exp_month", "exp_year"],
      properties: {
        number: { type: "string", pattern: "^[0-9]{12,19}$" },
        exp_month: { type: "integer", minimum: 1, maximum: 12 },
        exp_year: { type: "integer", minimum: 2000, maximum: 2199 },
        cvc: { type: "string", pattern: "^[0-9]{3,4}$" },
      },
    },
    three_d_secure: {
      type: "object",
      additionalProperties: false,
      required: ["eci", "ds_trans_id"],
      properties: {
        eci: { type: "string", pattern: "^[0-9]{2}$" },
        authentication_value: { type: "string", pattern: "^[0-9A-Za-z+/=]{1,64}$" },
        ds_trans_id: { type: "string", pattern: "^[0-9A-Za-z-]{1,36}$" },
      },
    },
  },
};
