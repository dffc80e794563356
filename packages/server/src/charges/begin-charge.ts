/**
 * Transaction A of a charge: the decision is consumed, the charge and its attempt are written, and a job is left behind that looks after the
 * attempt should this process die. The bank has not been called yet; when this commits, it may be.
 */
import type { DeclineCode } from "@oriel/protocol/errors";
import { noCause, type Cause, type Context } from "../context.ts";
import { findDecision } from "../decisions/decisions.ts";
import { ApiError, missingInBody } from "../errors.ts";
import { newId } from "../ids.ts";
import { markProcessing } from "../sessions/session-state.ts";
import type { Tx } from "../storage/database.ts";
import type { Row } from "../storage/tables.ts";
import { ownedBy, tenantOf, type Tenant } from "../tenant.ts";
import { declineMessage } from "./charge-object.ts";
import { insertCharge } from "./charge-rows.ts";

export interface ChargeOrder {
  amount: number;
  currency: string;
  payment_method_id: string;
  decision_id: string;
  metadata: Record<string, string>;
}

/** Longer than one question to the bank can take, so that the job comes when the one who asked has given up or died. */
const safetyNetSeconds = 35;

/** @throws ApiError when the decision does not allow this charge; then nothing was changed. */
export async function beginCharge(
  { jobs, now }: Pick<Context, "jobs" | "now">,
  tx: Tx,
  tenant: Tenant,
  order: ChargeOrder,
  cause: Cause,
): Promise<{ chargeId: string; attemptId: string }> {
  const createdAt = now();
  const chargeId = newId("ch", createdAt);
  const attemptId = newId("att", createdAt);
  const decision = await consume(tx, tenant, order, chargeId, createdAt);
  if (decision === undefined) throw await whyNot(tx, tenant, order, createdAt);

  await insertCharge(tx, decision, { id: chargeId, amount: order.amount, metadata: order.metadata }, cause, createdAt);
  await tx
    .insertInto("attempt")
    .values({ id: attemptId, charge_id: chargeId, status: "processing", next_ask_at: createdAt, created_at: createdAt })
    .execute();
  if (decision.session_id !== null) await markProcessing(tx, decision.session_id, decision.id);
  await jobs.send(tx, "attempt", { attemptId }, safetyNetSeconds);
  return { chargeId, attemptId };
}

/** Begins the charge of an approved decision of a session, unless the merchant's server wants to do it. Returns the attempt to run. */
export async function beginAutomaticCharge(
  context: Pick<Context, "jobs" | "now">,
  tx: Tx,
  decision: Row<"decision">,
): Promise<string | null> {
  const session = await tx
    .selectFrom("checkout_session")
    .select("confirmation")
    .where("id", "=", decision.session_id)
    .executeTakeFirstOrThrow();
  if (session.confirmation === "server") return null;
  const { amount, currency, payment_method_id, id: decision_id } = decision;
  const order = { amount, currency, payment_method_id, decision_id, metadata: {} };
  const { attemptId } = await beginCharge(context, tx, tenantOf(decision), order, noCause);
  return attemptId;
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
    .where(ownedBy(tenant))
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
  switch (decision.status) {
    case "consumed":
      return new ApiError(
        "decision_already_consumed",
        `The decision was used by the charge ${decision.charge_id}. Each decision allows one charge.`,
        { param },
      );
    case "declined":
      return cardDeclined(decision.decline_code ?? "generic_decline");
    case "requires_action":
      return new ApiError(
        "decision_not_approved",
        "The decision waits for the customer's bank. Open a checkout session so that the customer can answer.",
        { param },
      );
    case "expired":
      return decisionExpired();
    case "approved":
      return decision.expires_at <= now ? decisionExpired() : decisionMismatch(decision, order);
  }
}

function decisionExpired(): ApiError {
  return new ApiError("decision_expired", "The decision is older than fifteen minutes. Ask for a new one.", {
    param: "decision_id",
  });
}

function decisionMismatch(decision: Row<"decision">, order: ChargeOrder): ApiError {
  const mismatch =
    decision.payment_method_id !== order.payment_method_id
      ? "is for another payment method"
      : decision.currency !== order.currency
        ? `is in ${decision.currency}`
        : `allows up to ${decision.amount}`;
  return new ApiError("decision_mismatch", `The decision ${mismatch}. A charge must fit its decision.`, { param: "decision_id" });
}

/** 402: the bank, or the decision before it, said no. */
export function cardDeclined(declineCode: DeclineCode): ApiError {
  return new ApiError("card_declined", declineMessage(declineCode), { declineCode });
}
