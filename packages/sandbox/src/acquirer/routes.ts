/**
 * The acquirer's HTTP interface as published in `@oriel/protocol/acquirer`: bearer key, JSON, no coercion, no unknown
 * fields. Responses contain only a card's last four digits. Errors name the invalid field, never its value.
 *
 * `respond` applies the requested faults (`../faults`) once a request has passed validation. Lists are exempt, so tests
 * can always see what really happened.
 */
import type { FastifyInstance, FastifyReply } from "fastify";
import type { AuthorizationRequest, CancelRequest, CaptureRequest, RefundRequest } from "@oriel/protocol/acquirer";
import { isCurrency } from "@oriel/protocol/currency";
import type { BankSecret } from "../bank-secret.ts";
import { requireBearer } from "../bearer.ts";
import { faultOf } from "../cards.ts";
import type { Clock } from "../clock.ts";
import { applyFault, sendJson, type JsonResponse } from "../faults/apply.ts";
import type { FaultTarget, Faults } from "../faults/faults.ts";
import { decideAuthorization, decideCancel, decideCapture, decideRefund, fingerprintOf } from "./decide.ts";
import { operations, type AuthorizationEntry, type Entry, type Operation } from "./ledger-entry.ts";
import type { Ledger } from "./ledger.ts";
import { amountSchema, authorizationSchema, cancelSchema, referenceParams } from "./request-schemas.ts";

interface Acquirer {
  apiKey: string;
  ledger: Ledger;
  secret: BankSecret;
  clock: Clock;
  faults: Faults;
  /** Aborted when the bank closes, which ends delayed responses. */
  closing: AbortSignal;
}

export function acquirerRoutes(
  app: FastifyInstance,
  { apiKey, ledger, secret, clock, faults, closing }: Acquirer,
): void {
  app.addHook("onRequest", requireBearer(apiKey));

  const respond = (target: FaultTarget, reply: FastifyReply, act: () => Promise<JsonResponse>) =>
    applyFault(faults.strike(target), reply, act, { clock, closing });

  async function enter(
    kind: Operation,
    reference: string,
    fingerprint: string,
    decide: () => Entry | null,
  ): Promise<JsonResponse> {
    const entered = await ledger.enter(kind, reference, fingerprint, decide);
    if (entered === "conflict") return refusal(409, usedReference);
    if (entered === "unknown authorization")
      return refusal(422, "No authorization has the reference in body/authorization.");
    return { status: 200, body: entered.response };
  }

  app.post<{ Body: AuthorizationRequest }>(
    "/authorizations",
    { schema: { body: authorizationSchema } },
    (request, reply) => {
      const { reference, amount, currency, capture, card } = request.body;
      if (!isCurrency(currency)) return sendJson(reply, refusal(400, "body/currency is not an ISO 4217 code"));
      if (amount === 0 && capture)
        return sendJson(reply, refusal(400, "body/amount must be >= 1, or 0 with body/capture false"));
      const target: FaultTarget = {
        kind: "authorization",
        reference,
        last4: card.number.slice(-4),
        cardFault: faultOf(card.number),
      };
      return respond(target, reply, () =>
        enter("authorization", reference, secret.fingerprint(request.body), () =>
          decideAuthorization(request.body, secret, clock.now()),
        ),
      );
    },
  );

  /** The three operations on an existing authorization. */
  function later<T extends CaptureRequest | CancelRequest>(
    kind: Exclude<Operation, "authorization">,
    schema: object,
    decide: (request: T, authorization: AuthorizationEntry, nowMs: number) => Entry,
  ): void {
    app.post<{ Body: CaptureRequest | CancelRequest }>(`/${kind}s`, { schema: { body: schema } }, (request, reply) => {
      const body = request.body as T; // validated by the schema
      const { reference, authorization } = body;
      return respond({ kind, reference, last4: ledger.last4(authorization) }, reply, () =>
        enter(kind, reference, fingerprintOf(body), () => {
          const found = ledger.authorization(authorization);
          return found === undefined ? null : decide(body, found, clock.now());
        }),
      );
    });
  }
  later<CaptureRequest>("capture", amountSchema, decideCapture);
  later<CancelRequest>("cancel", cancelSchema, decideCancel);
  later<RefundRequest>("refund", amountSchema, decideRefund);

  for (const kind of operations) {
    app.get<{ Params: { reference: string } }>(
      `/${kind}s/:reference`,
      { schema: { params: referenceParams } },
      ({ params: { reference } }, reply) =>
        respond({ kind: "lookup", reference, last4: ledger.last4(reference) }, reply, async () => {
          const found = await ledger.find(kind, reference);
          return found === undefined
            ? refusal(404, "No operation has this reference.")
            : { status: 200, body: found.response };
        }),
    );

    app.get(`/${kind}s`, async () => ({ [`${kind}s`]: (await ledger.all(kind)).map((entry) => entry.response) }));
  }
}

const usedReference = "This reference was used for a different request. Use a new reference for each attempt.";

function refusal(status: number, message: string): JsonResponse {
  return { status, body: { error: { message } } };
}
