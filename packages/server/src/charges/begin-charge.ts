/**
 * Transaction A of a charge: the decision is consumed, the charge and its attempt are written, and a job is left behind that looks after the
 * attempt should this process die. The bank has not been called yet; when this commits, it may be.
 */
import type { DeclineCode } from "@oriel/protocol/errors";
import type { Context, Origin, Tenant } from "../context.ts";
import { findDecision } from "../decisions/decisions.ts";
import { ApiError, missingInBody } from "../errors.ts";
import { newId } from "../ids.ts";
import { markProcessing } from "../sessions/session-state.ts";
import type { Tx } from "../storage/database.ts";
import type { Row } from "../storage/tables.ts";
import { declineMessage } from "./charge-object.ts";

export interface ChargeOrder {
  amount: number;
  currency: string;
  payment_method_id: string;
  decision_id: string;
  metadata: Record<string, string>;
}

/** Longer than the bank is waited for, so that the job comes after the request that made the charge has given up. */
const safetyNetSeconds = 25;

/** @throws ApiError when the decision does not allow this charge; then nothing was changed. */
export async function beginCharge(
  { jobs, now }: Pick<Context, "jobs" | "now">,
  tx: Tx,
  tenant: Tenant,
  order: ChargeOrder,
  origin: Origin,
): Promise<{ chargeId: string; attemptId: string }> {
  const createdAt = now();
  const chargeId = newId("ch", createdAt);
  const attemptId = newId("att", createdAt);
  const decision = await consume(tx, tenant, order, chargeId, createdAt);
  if (decision === undefined) throw await whyNot(tx, tenant, order, createdAt);

  await tx
    .insertInto("charge")
    .values({
      id: chargeId,
      account_id: tenant.accountId,
      livemode: tenant.livemode,
      session_id: decision.session_id,
      payment_method_id: order.payment_method_id,
      decision_id: order.decision_id,
      status: "processing",
      amount: order.amount,
      currency: order.currency,
      metadata: JSON.stringify(order.metadata),
      request_id: origin.requestId,
      idempotency_key: origin.idempotencyKey,
      created_at: createdAt,
    })
    .execute();
  await tx
    .insertInto("attempt")
    .values({ id: attemptId, charge_id: chargeId, status: "processing", created_at: createdAt })
    .execute();
  if (decision.session_id !== null) await markProcessing(tx, decision.session_id, decision.id);
  await jobs.send(tx, "attempt", { attemptId, asked: 0 }, safetyNetSeconds);
  return { chargeId, attemptId };
}

/** Approved and fitting, and never again: one conditional update. */
async function consume(
  tx: Tx,
  tenant: Tenant,
  order: ChargeOrder,
  chargeId: string,
  now: Date,
): Promise<Row<"decision"> | undefined> {
  return await tx
    .updateTable("decision")
    .set({ status: "consumed", charge_id: chargeId })
    .where("id", "=", order.decision_id)
    .where("account_id", "=", tenant.accountId)
    .where("livemode", "=", tenant.livemode)
    .where("status", "=", "approved")
    .where("expires_at", ">", now)
    .where("payment_method_id", "=", order.payment_method_id)
    .where("currency", "=", order.currency)
    .where("amount", ">=", order.amount)
    .returningAll()
    .executeTakeFirst();
}

async function whyNot(tx: Tx, tenant: Tenant, order: ChargeOrder, now: Date): Promise<ApiError> {
  const decision = await findDecision(tx, tenant, order.decision_id);
  const param = "decision_id";
  if (decision === undefined) return missingInBody("decision", order.decision_id, param);
  if (decision.status === "consumed") {
    return new ApiError(
      "decision_already_consumed",
      `The decision was used by the charge ${decision.charge_id}. Each decision allows one charge.`,
      { param },
    );
  }
  if (decision.status === "declined") return cardDeclined(decision.decline_code ?? "generic_decline");
  if (decision.status === "requires_action") {
    return new ApiError(
      "decision_not_approved",
      "The decision waits for the customer's bank. Open a checkout session so that the customer can answer.",
      { param },
    );
  }
  if (decision.status === "expired" || decision.expires_at <= now) {
    return new ApiError("decision_expired", "The decision is older than fifteen minutes. Ask for a new one.", { param });
  }
  const mismatch =
    decision.payment_method_id !== order.payment_method_id
      ? "is for another payment method"
      : decision.currency !== order.currency
        ? `is in ${decision.currency}`
        : `allows up to ${decision.amount}`;
  return new ApiError("decision_mismatch", `The decision ${mismatch}. A charge must fit its decision.`, { param });
}

/** 402: the bank, or the decision before it, said no. */
export function cardDeclined(declineCode: DeclineCode): ApiError {
  return new ApiError("card_declined", declineMessage(declineCode), { declineCode });
}
