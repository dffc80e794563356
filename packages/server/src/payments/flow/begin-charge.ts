/**
 * Transaction A of a charge: the decision is consumed, the charge and its attempt are written, and a job is left behind
 * that looks after the attempt if this process dies. The bank has not been called yet; when this commits, it may be.
 */
import { insertAttempt } from "../attempts/attempt-state.ts";
import type { Cause } from "../../platform/cause.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { findDecision } from "../decisions/decisions.ts";
import { consume, type ChargeTerms } from "../decisions/decision-state.ts";
import { ApiError, missingInBody } from "../../platform/errors.ts";
import { newId } from "../../platform/ids.ts";
import { markProcessing } from "../sessions/session-state.ts";
import type { Tx } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { insertCharge, type NewCharge } from "../charges/charge-state.ts";
import { cardDeclined } from "../charges/decline.ts";

export interface ChargeOrder extends ChargeTerms {
  /** Null: as the session has it, or automatic. */
  capture_method: NewCharge["capture_method"] | null;
  metadata: NewCharge["metadata"];
}

/**
 * @returns the attempt to run
 * @throws ApiError when the decision does not allow this charge; then nothing was changed
 */
export async function beginCharge(
  context: Pick<PlatformContext, "now">,
  tx: Tx,
  tenant: Tenant,
  order: ChargeOrder,
  cause: Cause,
): Promise<string> {
  const createdAt = context.now();
  const { amount, metadata } = order;
  const id = newId("ch", createdAt);
  const decision = await consume(tx, tenant, order, id, createdAt);
  if (decision === undefined) throw await whyNot(tx, tenant, order, createdAt);

  const session = decision.session_id === null ? null : await markProcessing(tx, decision.session_id, decision.id);
  const capture_method = order.capture_method ?? session?.capture_method ?? "automatic";
  await insertCharge(tx, decision, { id, amount, capture_method, metadata }, createdAt);
  const attemptId = newId("att", createdAt);
  const attempt = { id: attemptId, kind: "authorize", decision_id: decision.id, charge_id: id, amount } as const;
  await insertAttempt(context, tx, tenant, attempt, cause);
  return attemptId;
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
  return new ApiError("decision_mismatch", `The decision ${mismatch}. A charge must fit its decision.`, {
    param: "decision_id",
  });
}
