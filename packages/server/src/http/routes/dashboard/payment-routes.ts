/**
 * The dashboard's payments and payment methods over HTTP. Actions that move money use the API's code and idempotency,
 * with a separate space of idempotency keys. They are recorded in the audit log in the transaction that starts them, so
 * every movement of money can be traced to a person.
 */
import { Readable } from "node:stream";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyRequest } from "fastify";
import {
  CapturePayment,
  Nothing,
  OverviewQuery,
  PaymentMethodsQuery,
  PaymentsCsvQuery,
  PaymentsQuery,
  RefundPayment,
  type Overview,
  type Page,
  type PaymentDetail,
  type PaymentPage,
  type SavedPaymentMethod,
} from "@oriel/protocol/dashboard/payments";
import { readAcquirer } from "../../../merchants/accounts/accounts.ts";
import { requireAnyAcquirer } from "../../../merchants/accounts/live-mode.ts";
import { recordAudit, type AuditAction } from "../../../merchants/audit/audit-log.ts";
import { beginCancellation } from "../../../payments/flow/begin-cancellation.ts";
import { beginCapture } from "../../../payments/flow/begin-capture.ts";
import { requireExpressiblePart } from "../../../payments/charges/require-expressible-part.ts";
import { findCharge } from "../../../payments/charges/find-charge.ts";
import type { Context } from "../../context.ts";
import { ApiError } from "../../../platform/errors.ts";
import { actorName } from "../../../merchants/members/members.ts";
import { detachPaymentMethod, listSavedPaymentMethods } from "../../../payments/payment-methods/payment-methods.ts";
import { readOverview } from "../../../payments/reporting/overview.ts";
import { searchPayments } from "../../../payments/reporting/payment-search.ts";
import { retrievePayment } from "./payment-timeline.ts";
import { paymentsCsv } from "../../../payments/reporting/payments-csv.ts";
import { beginRefund } from "../../../payments/flow/begin-refund.ts";
import { shareResults } from "../../../platform/share-results.ts";
import type { Tx } from "../../../platform/storage/database.ts";
import { hasId, sameOwner } from "../../../platform/storage/owned-by.ts";
import { modeOf } from "../../../platform/tenant.ts";
import { idempotentHooks, inOneTransaction, withAcquirer, type KeySpace } from "../idempotent-post.ts";
import { WorkspacePath, WorkspacePathById } from "./account-params.ts";

/** The API's idempotency keys contain no space (`checkKeyFormat`), so they can't collide with these names. */
export const keysOfDashboard: KeySpace = {
  tenantOf: ({ workspace }) => workspace.tenant,
  storedAs: (key) => `dashboard ${key}`,
};

export function paymentRoutes(context: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.decorateRequest("keyClaim", null);
    const idempotent = idempotentHooks(context, keysOfDashboard);
    const reading = { config: { needs: "data.read" } } as const;
    const managing = { config: { needs: "payments.manage" } } as const;
    const movingMoney = {
      ...managing,
      ...idempotent,
      preValidation: [requireKey, requireAccountAcquirer, idempotent.preValidation],
      preHandler: [requireExpressibleAmount, idempotent.preHandler],
    };
    const at = "/data/:account/:mode";
    const shareOverview = shareResults<Overview>();

    app.get(
      `${at}/overview`,
      { ...reading, schema: { params: WorkspacePath, querystring: OverviewQuery } },
      async ({ workspace: { tenant }, query: { days = "30" } }): Promise<Overview> =>
        await shareOverview(`${tenant.accountNo} ${modeOf(tenant)} ${days}`, () =>
          readOverview(context, tenant, Number(days)),
        ),
    );

    app.get(
      `${at}/payments`,
      { ...reading, schema: { params: WorkspacePath, querystring: PaymentsQuery } },
      async ({ workspace, query }): Promise<PaymentPage> => {
        const { limit = "25", starting_after: startingAfter = null, ...filters } = query;
        return await searchPayments(context, workspace.tenant, filters, { limit: Number(limit), startingAfter });
      },
    );
    app.get(
      `${at}/payments.csv`,
      { ...reading, schema: { params: WorkspacePath, querystring: PaymentsCsvQuery } },
      async ({ workspace, query }, reply) => {
        const day = context.now().toISOString().slice(0, 10);
        const name = `payments-${modeOf(workspace.tenant)}-${day}.csv`;
        void reply.type("text/csv; charset=utf-8").header("content-disposition", `attachment; filename="${name}"`);
        void reply.header("x-accel-buffering", "no"); // nginx passes each piece on at once, also heartbeats
        return reply.send(Readable.from(paymentsCsv(context, workspace.tenant, query)));
      },
    );
    app.get(
      `${at}/payments/:id`,
      { ...reading, schema: { params: WorkspacePathById } },
      async ({ workspace, params }): Promise<PaymentDetail> =>
        await retrievePayment(context, workspace.tenant, params.id),
    );

    app.post(
      `${at}/payments/:id/refund`,
      { ...movingMoney, schema: { params: WorkspacePathById, body: RefundPayment } },
      async (request, reply) => {
        const { tenant } = request.workspace;
        return await withAcquirer(
          context,
          request,
          reply,
          async (tx, cause) => {
            const { id: charge_id } = await findCharge(tx, tenant, request.params.id);
            return await beginRefund(context, tx, tenant, { charge_id, ...request.body }, cause);
          },
          async (tx, attemptId) => await auditMoney(tx, request, "payment.refunded", attemptId),
        );
      },
    );
    app.post(
      `${at}/payments/:id/capture`,
      { ...movingMoney, schema: { params: WorkspacePathById, body: CapturePayment } },
      async (request, reply) =>
        await withAcquirer(
          context,
          request,
          reply,
          (tx, cause) => beginCapture(context, tx, request.workspace.tenant, request.params.id, request.body, cause),
          async (tx, attemptId) => await auditMoney(tx, request, "payment.captured", attemptId),
        ),
    );
    app.post(
      `${at}/payments/:id/cancel`,
      { ...movingMoney, schema: { params: WorkspacePathById, body: Nothing } },
      async (request, reply) =>
        await withAcquirer(
          context,
          request,
          reply,
          (tx, cause) => beginCancellation(context, tx, request.workspace.tenant, request.params.id, cause),
          async (tx, attemptId) => await auditMoney(tx, request, "payment.canceled", attemptId),
        ),
    );

    app.get(
      `${at}/payment-methods`,
      { ...reading, schema: { params: WorkspacePath, querystring: PaymentMethodsQuery } },
      async ({ workspace, query }): Promise<Page<SavedPaymentMethod>> => {
        const { data, has_more } = await listSavedPaymentMethods(context, workspace.tenant, { limit: "25", ...query });
        return { data, has_more };
      },
    );
    app.post(
      `${at}/payment-methods/:id/detach`,
      { ...managing, ...idempotent, schema: { params: WorkspacePathById, body: Nothing } },
      async (request, reply) =>
        await inOneTransaction(
          context,
          request,
          reply,
          (tx) => detachPaymentMethod(context, tx, request.workspace.tenant, request.params.id),
          async (tx) => await audit(tx, request, "payment_method.detached", request.params.id, {}),
        ),
    );
  };

  /** In live mode, the same rules apply as for a live secret key. */
  async function requireAccountAcquirer({ workspace: { tenant } }: FastifyRequest): Promise<void> {
    requireAnyAcquirer(context, tenant, await readAcquirer(context.db, tenant));
  }

  /** Of a part that is refunded or captured. */
  async function requireExpressibleAmount({ workspace: { tenant }, params, body }: FastifyRequest): Promise<void> {
    const { id: chargeId } = params as { id: string }; // of `WorkspacePathById`
    const { amount } = body as { amount?: number }; // of `RefundPayment`, `CapturePayment` and `Nothing`
    if (amount === undefined) return;
    const { acquirerAccountId } = await readAcquirer(context.db, tenant);
    await requireExpressiblePart(context, tenant, { acquirerAccountId, chargeId, amount });
  }

  /** Records who moved money and how much. The amount comes from the attempt, because the request may omit it. */
  async function auditMoney(tx: Tx, request: FastifyRequest, action: AuditAction, attemptId: string): Promise<void> {
    const { charge_id, refund_id, amount, currency } = await tx
      .selectFrom("attempt")
      .innerJoin("charge", (join) =>
        join.onRef("charge.id", "=", "attempt.charge_id").on(sameOwner("charge", "attempt")),
      )
      .select(["attempt.charge_id", "attempt.refund_id", "attempt.amount", "charge.currency"])
      .where(hasId(attemptId, "attempt.id"))
      .executeTakeFirstOrThrow();
    await audit(tx, request, action, charge_id, {
      amount,
      currency,
      ...(refund_id === null ? {} : { refund: refund_id }),
    });
  }

  async function audit(
    tx: Tx,
    { visitor, workspace }: FastifyRequest,
    action: AuditAction,
    objectId: string | null,
    details: Record<string, string | number>,
  ): Promise<void> {
    const { accountNo, livemode } = workspace.tenant;
    const entry = { actor: actorName(visitor), action, accountNo, objectId, details: { ...details, livemode } };
    await recordAudit(tx, entry, context.now());
  }
}

/** If the page sends the same click twice, money must not move twice. */
async function requireKey({ headers }: FastifyRequest): Promise<void> {
  if (headers["idempotency-key"] !== undefined) return;
  const message = "Requests that move money need an Idempotency-Key header. Use a new key for each action.";
  throw new ApiError("idempotency_key_invalid", message, { param: "Idempotency-Key" });
}
