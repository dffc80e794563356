/**
 * Refunds, captures and cancellations from the dashboard. They use the API's code and idempotency, but their
 * idempotency keys are separate from the API's. They are recorded in the audit log in the transaction that starts them, so every movement of money can
 * be traced to a person.
 */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyRequest } from "fastify";
import { CapturePayment, Nothing, RefundPayment } from "@oriel/protocol/dashboard/payments";
import { readAcquirer } from "../../../merchants/accounts/accounts.ts";
import { requireAnyAcquirer } from "../../../merchants/accounts/live-mode.ts";
import type { AuditAction } from "../../../merchants/audit/audit-log.ts";
import { findCharge } from "../../../payments/charges/find-charge.ts";
import { requireExpressiblePart } from "../../../payments/charges/require-expressible-part.ts";
import { beginCancellation } from "../../../payments/flow/begin-cancellation.ts";
import { beginCapture } from "../../../payments/flow/begin-capture.ts";
import { beginRefund } from "../../../payments/flow/begin-refund.ts";
import { ApiError } from "../../../platform/errors.ts";
import type { Tx } from "../../../platform/storage/database.ts";
import { hasId, sameOwner } from "../../../platform/storage/owned-by.ts";
import type { Context } from "../../context.ts";
import { idempotentHooks, withAcquirer } from "../idempotent-post.ts";
import { WorkspacePathById } from "./account-params.ts";
import { auditInWorkspace, keysOfDashboard } from "./idempotency.ts";

export function paymentActionRoutes(context: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.decorateRequest("keyClaim", null);
    const idempotent = idempotentHooks(context, keysOfDashboard);
    const managing = { config: { needs: "payments.manage" } } as const;
    const movingMoney = {
      ...managing,
      ...idempotent,
      preValidation: [requireKey, requireAccountAcquirer, idempotent.preValidation],
      preHandler: [requireExpressibleAmount, idempotent.preHandler],
    };
    const at = "/data/:account/:mode";

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
  };

  /** In live mode, the same rules apply as for a live secret key. */
  async function requireAccountAcquirer({ workspace: { tenant } }: FastifyRequest): Promise<void> {
    requireAnyAcquirer(context, tenant, await readAcquirer(context.db, tenant));
  }

  /** Checks the amount of a partial refund or capture. */
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
    await auditInWorkspace(context, tx, request, action, charge_id, {
      amount,
      currency,
      ...(refund_id === null ? {} : { refund: refund_id }),
    });
  }
}

/** If the page sends the same click twice, money must not move twice. */
async function requireKey({ headers }: FastifyRequest): Promise<void> {
  if (headers["idempotency-key"] !== undefined) return;
  const message = "Requests that move money need an Idempotency-Key header. Use a new key for each action.";
  throw new ApiError("idempotency_key_invalid", message, { param: "Idempotency-Key" });
}
