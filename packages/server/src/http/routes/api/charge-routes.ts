/** `/api/v1/charges`. */
import Type from "typebox";
import { CaptureCharge, CreateCharge } from "@oriel/protocol/api";
import { id, listQuery } from "@oriel/protocol/shapes";
import { requireExpressible } from "../../../merchants/accounts/live-mode.ts";
import { requireExpressiblePart } from "../../../payments/charges/require-expressible-part.ts";
import { beginCancellation } from "../../../payments/flow/begin-cancellation.ts";
import { beginCapture } from "../../../payments/flow/begin-capture.ts";
import { beginCharge, beginChargeAtOnce } from "../../../payments/flow/begin-charge.ts";
import { listCharges, retrieveCharge } from "../../../payments/flow/charges.ts";
import { checkCurrency } from "../../../platform/money/currency.ts";
import type { Context } from "../../context.ts";
import { hooksAtOnce, withAcquirer, withAcquirerAtOnce, type IdempotentHooks } from "../idempotent-post.ts";
import { closed, Nothing } from "../params.ts";
import { action, creation, listing, retrieval, unknownLater, type ApiInstance, type Noun } from "./describe.ts";

const charge: Noun = { one: "a charge", many: "Charges", schema: "Charge" };

const ChargesQuery = Type.Object(
  { ...listQuery("ch").properties, decision_id: Type.Optional(id("dec")), session_id: Type.Optional(id("cs")) },
  closed,
);

export function chargeRoutes(app: ApiInstance, context: Context, idempotent: IdempotentHooks): void {
  app.post(
    "/charges",
    {
      ...hooksAtOnce(idempotent),
      preHandler: async ({ body, tenant, acquirerAccountId }) => {
        checkCurrency(body.currency);
        await requireExpressible(context, tenant, acquirerAccountId, body);
      },
      schema: creation(
        charge,
        CreateCharge,
        `Charges a card with an approved decision. If the charge is declined, the response has the status 402. ${unknownLater}`,
      ),
    },
    async (request, reply) => {
      const { tenant } = request;
      const { capture_method = null, metadata = {}, ...terms } = request.body;
      const order = { ...terms, capture_method, metadata };
      return await withAcquirerAtOnce(
        context,
        request,
        reply,
        (cause, key) => beginChargeAtOnce(context, context.db, tenant, order, cause, key),
        (tx, cause) => beginCharge(context, tx, tenant, order, cause),
      );
    },
  );
  app.get(
    "/charges",
    { schema: listing(charge, ChargesQuery) },
    async ({ tenant, query }) => await listCharges(context, tenant, query),
  );
  app.get(
    "/charges/:id",
    { schema: retrieval(charge) },
    async ({ tenant, params }) => await retrieveCharge(context, tenant, params.id),
  );

  const captures = `Captures an authorized charge in full or in part. You can capture a charge only once. Any remainder is released. ${unknownLater}`;
  app.post(
    "/charges/:id/capture",
    {
      ...idempotent,
      preHandler: [
        async ({ tenant, acquirerAccountId, params, body }) =>
          await requireExpressiblePart(context, tenant, {
            acquirerAccountId,
            chargeId: params.id,
            amount: body.amount,
          }),
        idempotent.preHandler,
      ],
      schema: action(charge, "Capture", CaptureCharge, captures),
    },
    async (request, reply) =>
      await withAcquirer(context, request, reply, (tx, cause) =>
        beginCapture(context, tx, request.tenant, request.params.id, request.body, cause),
      ),
  );
  app.post(
    "/charges/:id/cancel",
    {
      ...idempotent,
      schema: action(
        charge,
        "Cancel",
        Nothing,
        `Releases the authorized amount. If the charge is still \`processing\`, the service stops sending the authorization to the acquirer. ${unknownLater}`,
      ),
    },
    async (request, reply) =>
      await withAcquirer(context, request, reply, (tx, cause) =>
        beginCancellation(context, tx, request.tenant, request.params.id, cause),
      ),
  );
}
