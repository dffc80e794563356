/**
 * Controls the simulator, with its API key. Adyen has nothing like it; tests use it.
 *
 * ```
 * POST /adyen/control/chargebacks  { paymentPspReference, eventCode, amount?, disputePspReference?, reasonCode? }
 *                                  adds an event of a dispute                        -> { disputePspReference }
 * POST /adyen/control/fail         { pspReference, eventCode }
 *                                  lets a capture or refund fail after it was done    -> 202
 * POST /adyen/control/delays       { outcomeMs?, notificationMs?, captureMs? }        -> all
 * POST /adyen/control/decide       decides at once what is still waiting for its outcome -> 202
 * POST /adyen/control/deliver      sends the notifications that are due now           -> { accepted, failed }
 * GET  /adyen/control/ledger/:merchantReference                     -> { payments, entries, balances }
 * GET  /adyen/control/payments       all payments, oldest first      -> { payments }
 * ```
 */
import type { FastifyInstance } from "fastify";
import type { AdyenLedger, Dispute } from "./ledger.ts";
import type { FailureEventCode, ServiceError } from "./messages.ts";
import type { Notifier } from "./notifier.ts";
import { delaysSchema, disputeSchema, failureSchema } from "./request-schemas.ts";
import type { Delays } from "./timeline.ts";

interface Control {
  ledger: AdyenLedger;
  /** Null if no webhook is configured. */
  notifier: Notifier | null;
  /** Called after the ledger has changed. */
  onChange: () => void;
}

export function controlRoutes(app: FastifyInstance, { ledger, notifier, onChange }: Control): void {
  app.post<{ Body: Dispute }>("/chargebacks", { schema: { body: disputeSchema } }, async ({ body }, reply) => {
    const dispute = ledger.dispute(body);
    if (dispute === null) return reply.code(404).send(problem(404, "No payment has this pspReference."));
    onChange();
    return dispute;
  });

  app.post<{ Body: { pspReference: string; eventCode: FailureEventCode } }>(
    "/fail",
    { schema: { body: failureSchema } },
    async ({ body: { pspReference, eventCode } }, reply) => {
      if (!ledger.fail(pspReference, eventCode))
        return reply
          .code(404)
          .send(problem(404, "No capture or refund that can still fail like this has this pspReference."));
      onChange();
      return reply.code(202).send({ pspReference, eventCode });
    },
  );

  app.post<{ Body: Partial<Delays> }>("/delays", { schema: { body: delaysSchema } }, async ({ body }) =>
    ledger.setDelays(body),
  );

  app.post("/decide", async (_request, reply) => {
    ledger.decideAll();
    onChange();
    return reply.code(202).send({});
  });

  app.post("/deliver", async (_request, reply) =>
    notifier === null ? reply.code(409).send(problem(409, "No webhook is configured.")) : notifier.deliver(),
  );

  app.get<{ Params: { merchantReference: string } }>("/ledger/:merchantReference", async ({ params }) => ({
    payments: ledger
      .paymentsOf(params.merchantReference)
      .map(({ pspReference, amount, modifications }) => ({ pspReference, amount, modifications })),
    entries: ledger.entriesOf(params.merchantReference),
    balances: ledger.balanceOf(params.merchantReference),
  }));

  app.get("/payments", async () => ({ payments: ledger.allPayments() }));
}

function problem(status: number, message: string): ServiceError {
  return { status, errorCode: "000", errorType: "validation", message };
}
