/**
 * The part of Adyen's Checkout API that the simulator supports, with raw card data: payments, captures, cancels, refunds,
 * reversals, the technical cancel, native 3-D Secure without a payment, and the list of payment methods. Responses contain
 * no card data. The faults that the bank can simulate (`../faults`) strike everything but authentications and the list.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { faultOf } from "../cards.ts";
import type { Clock } from "../clock.ts";
import { applyFault } from "../faults/apply.ts";
import type { Asked, Faults } from "../faults/faults.ts";
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
  /** Called after the ledger may have changed. */
  onChange: () => void;
}

interface Later {
  Params: { paymentPspReference: string };
}

export function checkoutRoutes(app: FastifyInstance, checkout: Checkout): void {
  const { merchantAccount, ledger, authentications, faults, clock, closing, onChange } = checkout;

  function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    asked: Asked | null,
    act: (idempotencyKey: string | undefined) => Reply<object>,
  ): Promise<FastifyReply> {
    const key = keyOf(request);
    if (key !== undefined) void reply.header("idempotency-key", key);
    const run = async () => {
      const answered = act(key);
      onChange();
      return answered;
    };
    return applyFault(asked === null ? null : faults.strike(asked), reply, run, { clock, closing });
  }

  app.post<{ Body: PaymentRequest | AuthenticationRequest }>(
    "/payments",
    { schema: { body: paymentOrAuthenticationSchema } },
    (request, reply) => {
      const { body } = request;
      if (isAuthentication(body))
        return answer(request, reply, null, (key) =>
          ledger.runOnce("authenticate", body, key, () => authentications.begin(body)),
        );
      const { reference, paymentMethod } = body;
      const asked: Asked = {
        kind: "authorization",
        reference,
        last4: paymentMethod.number.slice(-4),
        cardFault: faultOf(paymentMethod.number),
      };
      return answer(request, reply, asked, (key) => ledger.pay(body, key));
    },
  );

  app.post<{ Body: DetailsRequest }>("/payments/details", { schema: { body: detailsSchema } }, (request, reply) => {
    const { body } = request;
    return answer(request, reply, null, (key) =>
      ledger.runOnce("details", { merchantAccount, ...body }, key, () => authentications.continue(body)),
    );
  });

  app.post<Later & { Body: AmountRequest }>(
    "/payments/:paymentPspReference/captures",
    { schema: { body: amountSchema } },
    (request, reply) => {
      const { body, params } = request;
      const asked = askedOf("capture", body.reference, params.paymentPspReference);
      return answer(request, reply, asked, (key) => ledger.capture(params.paymentPspReference, body, key));
    },
  );

  app.post<Later & { Body: AmountRequest }>(
    "/payments/:paymentPspReference/refunds",
    { schema: { body: amountSchema } },
    (request, reply) => {
      const { body, params } = request;
      const asked = askedOf("refund", body.reference, params.paymentPspReference);
      return answer(request, reply, asked, (key) => ledger.refund(params.paymentPspReference, body, key));
    },
  );

  app.post<Later & { Body: CancelRequest }>(
    "/payments/:paymentPspReference/cancels",
    { schema: { body: cancelSchema } },
    (request, reply) => {
      const { body, params } = request;
      const asked = askedOf("cancel", body.reference, params.paymentPspReference);
      return answer(request, reply, asked, (key) => ledger.cancel(params.paymentPspReference, body, key));
    },
  );

  app.post<Later & { Body: CancelRequest }>(
    "/payments/:paymentPspReference/reversals",
    { schema: { body: cancelSchema } },
    (request, reply) => {
      const { body, params } = request;
      const asked = askedOf("refund", body.reference, params.paymentPspReference);
      return answer(request, reply, asked, (key) => ledger.reverse(params.paymentPspReference, body, key));
    },
  );

  app.post<{ Body: TechnicalCancelRequest }>(
    "/cancels",
    { schema: { body: technicalCancelSchema } },
    (request, reply) => {
      const { body } = request;
      const asked: Asked = { kind: "cancel", reference: body.reference ?? body.paymentReference, last4: null };
      return answer(request, reply, asked, (key) => ledger.technicalCancel(body, key));
    },
  );

  app.post<{ Body: { merchantAccount: string } }>(
    "/paymentMethods",
    { schema: { body: paymentMethodsSchema } },
    (request, reply) =>
      answer(request, reply, null, (key) =>
        ledger.runOnce("paymentMethods", request.body, key, () => ({
          status: 200,
          body: { paymentMethods: [{ name: "Cards", type: "scheme" }] },
        })),
      ),
  );

  function askedOf(kind: Asked["kind"], reference: string | undefined, paymentPspReference: string): Asked {
    return { kind, reference: reference ?? paymentPspReference, last4: ledger.last4Of(paymentPspReference) };
  }
}

function keyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers["idempotency-key"];
  return Array.isArray(key) ? key.join(", ") : key;
}
