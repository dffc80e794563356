/**
 * The part of Adyen's Checkout API that the simulator supports, with raw card data: payments, captures, cancels,
 * refunds, reversals, the technical cancel, native 3-D Secure without a payment, and the list of payment methods.
 * Responses contain no card data. The faults that the bank can simulate (`../faults`) strike everything but
 * authentications and the list.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { faultOf } from "../cards.ts";
import type { Clock } from "../clock.ts";
import { applyFault } from "../faults/apply.ts";
import type { FaultTarget, Faults } from "../faults/faults.ts";
import { isAuthentication, type AuthenticationRequest, type DetailsRequest } from "./authentication-messages.ts";
import { detailsSchema, paymentOrAuthenticationSchema } from "./authentication-schemas.ts";
import type { AdyenAuthentications } from "./authentications.ts";
import type { AdyenLedger } from "./ledger.ts";
import type { AmountRequest, CancelRequest, PaymentRequest, Reply, TechnicalCancelRequest } from "./messages.ts";
import { amountSchema, cancelSchema, paymentMethodsSchema, technicalCancelSchema } from "./request-schemas.ts";

interface Checkout {
  merchantAccount: string;
  ledger: AdyenLedger;
  authentications: AdyenAuthentications;
  faults: Faults;
  clock: Clock;
  /** Aborted when the bank closes, which ends delayed responses. */
  closing: AbortSignal;
  /** Call this whenever the ledger may have changed. */
  onChange: () => void;
}

export function checkoutRoutes(app: FastifyInstance, checkout: Checkout): void {
  const { merchantAccount, ledger, authentications, faults, clock, closing, onChange } = checkout;

  function respond(
    request: FastifyRequest,
    reply: FastifyReply,
    target: FaultTarget | null,
    act: (idempotencyKey: string | undefined) => Reply<object>,
  ): Promise<FastifyReply> {
    const key = keyOf(request);
    if (key !== undefined) void reply.header("idempotency-key", key);
    const run = async () => {
      const result = act(key);
      onChange();
      return result;
    };
    return applyFault(target === null ? null : faults.strike(target), reply, run, { clock, closing });
  }

  app.post<{ Body: PaymentRequest | AuthenticationRequest }>(
    "/payments",
    { schema: { body: paymentOrAuthenticationSchema } },
    (request, reply) => {
      const { body } = request;
      if (isAuthentication(body))
        return respond(request, reply, null, (key) =>
          ledger.runOnce("authenticate", body, key, () => authentications.begin(body)),
        );
      const { reference, paymentMethod } = body;
      const target: FaultTarget = {
        kind: "authorization",
        reference,
        last4: paymentMethod.number.slice(-4),
        cardFault: faultOf(paymentMethod.number),
      };
      return respond(request, reply, target, (key) => ledger.pay(body, key));
    },
  );

  app.post<{ Body: DetailsRequest }>("/payments/details", { schema: { body: detailsSchema } }, (request, reply) => {
    const { body } = request;
    return respond(request, reply, null, (key) =>
      ledger.runOnce("details", { merchantAccount, ...body }, key, () => authentications.continue(body)),
    );
  });

  later("captures", "capture", amountSchema, (payment, body: AmountRequest, key) => ledger.capture(payment, body, key));
  later("refunds", "refund", amountSchema, (payment, body: AmountRequest, key) => ledger.refund(payment, body, key));
  later("cancels", "cancel", cancelSchema, (payment, body, key) => ledger.cancel(payment, body, key));
  later("reversals", "refund", cancelSchema, (payment, body, key) => ledger.reverse(payment, body, key));

  app.post<{ Body: TechnicalCancelRequest }>(
    "/cancels",
    { schema: { body: technicalCancelSchema } },
    (request, reply) => {
      const { body } = request;
      const target: FaultTarget = { kind: "cancel", reference: body.reference ?? body.paymentReference, last4: null };
      return respond(request, reply, target, (key) => ledger.technicalCancel(body, key));
    },
  );

  app.post<{ Body: { merchantAccount: string } }>(
    "/paymentMethods",
    { schema: { body: paymentMethodsSchema } },
    (request, reply) =>
      respond(request, reply, null, (key) =>
        ledger.runOnce("paymentMethods", request.body, key, () => ({
          status: 200,
          body: { paymentMethods: [{ name: "Cards", type: "scheme" }] },
        })),
      ),
  );

  /** A request about a payment that was made. */
  function later<Body extends CancelRequest>(
    path: string,
    kind: FaultTarget["kind"],
    schema: object,
    act: (paymentPspReference: string, body: Body, idempotencyKey: string | undefined) => Reply<object>,
  ): void {
    app.post<{ Params: { paymentPspReference: string } }>(
      `/payments/:paymentPspReference/${path}`,
      { schema: { body: schema } },
      (request, reply) => {
        const { paymentPspReference } = request.params;
        const body = request.body as Body; // it fits the schema
        const reference = body.reference ?? paymentPspReference;
        const target = { kind, reference, last4: ledger.last4Of(paymentPspReference) };
        return respond(request, reply, target, (key) => act(paymentPspReference, body, key));
      },
    );
  }
}

function keyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers["idempotency-key"];
  return Array.isArray(key) ? key.join(", ") : key;
}
