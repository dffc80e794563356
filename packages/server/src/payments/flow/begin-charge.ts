/**
 * Transaction A of a charge: consumes the decision and writes the charge and its attempt. The acquirer is called only
 * after this commits. If the process dies first, recovery finds the attempt and runs it.
 */
import { formatAmount } from "@oriel/protocol/currency";
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
  /** If null, the session's capture method is used, or `automatic` if there is no session. */
  capture_method: NewCharge["capture_method"] | null;
  metadata: NewCharge["metadata"];
}

/**
 * @returns the attempt to run
 * @throws ApiError if the decision doesn't allow this charge; nothing was changed
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
  const id = newId("ch", createdAt, tenant);
  const decision = await consume(tx, tenant, order, id, createdAt);
  if (decision === undefined) throw await whyNot(tx, tenant, order, createdAt);

  const session = decision.session_id === null ? null : await markProcessing(tx, decision.session_id, decision.id);
  const capture_method = order.capture_method ?? session?.capture_method ?? "automatic";
  await insertCharge(tx, decision, { id, amount, capture_method, metadata }, createdAt);
  const attemptId = newId("att", createdAt, tenant);
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
        `This decision has already been used by charge ${decision.charge_id}. Create a new decision for each charge.`,
        { param },
      );
    case "declined":
      return cardDeclined(decision.decline_code ?? "generic_decline");
    case "requires_action":
      return new ApiError(
        "decision_not_approved",
        "This decision requires authentication. Create a checkout session so that the customer can authenticate the payment.",
        { param },
      );
    case "expired":
      return decisionExpired();
    case "approved":
      return decision.expires_at <= now ? decisionExpired() : decisionMismatch(decision, order);
  }
}

function decisionExpired(): ApiError {
  return new ApiError(
    "decision_expired",
    "This decision has expired. Decisions are valid for 15 minutes. Create a new decision.",
    {
      param: "decision_id",
    },
  );
}

function decisionMismatch(decision: Row<"decision">, order: ChargeOrder): ApiError {
  const mismatch =
    decision.payment_method_id !== order.payment_method_id
      ? "is for another payment method"
      : decision.currency !== order.currency
        ? `is in ${decision.currency.toUpperCase()}`
        : `allows up to ${formatAmount(decision.amount, decision.currency, "en")}`;
  return new ApiError("decision_mismatch", `This decision ${mismatch}. The charge must match the decision.`, {
    param: "decision_id",
  });
}
