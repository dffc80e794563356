/**
 * Transaction A of a charge: consumes the decision and writes the charge and its attempt. The acquirer is called only
 * after this commits. If the process dies first, recovery finds the attempt and runs it.
 */
import { formatAmount } from "@oriel/protocol/currency";
import type { Cause } from "../../platform/cause.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { ApiError, missingInBody } from "../../platform/errors.ts";
import { claimOf, keyValues, type NewKey } from "../../platform/idempotency/idempotency.ts";
import { newId } from "../../platform/ids.ts";
import type { Db, Tx } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { newAttempt } from "../attempts/attempt-state.ts";
import type { BegunAttempt } from "../attempts/subject.ts";
import { cardDeclined } from "../charges/decline.ts";
import { startCharge, type NewCharge } from "../charges/start-charge.ts";
import type { ChargeTerms } from "../decisions/decision-state.ts";
import { findDecision } from "../decisions/decisions.ts";

export type ChargeOrder = ChargeTerms & Omit<NewCharge, "id">;

/**
 * Begins a charge in one statement, which also claims the request's idempotency key.
 *
 * @returns undefined if nothing was changed: another request has the key, or the decision doesn't allow this charge
 */
export async function beginChargeAtOnce(
  context: Pick<PlatformContext, "now" | "keys">,
  db: Db,
  tenant: Tenant,
  { capture_method, metadata, ...terms }: ChargeOrder,
  cause: Cause,
  key: NewKey | null,
): Promise<BegunAttempt | undefined> {
  const createdAt = context.now();
  const { decision_id, amount } = terms;
  const charge = { id: newId("ch", createdAt, tenant), capture_method, metadata };
  const authorize = { kind: "authorize", decision_id, charge_id: charge.id, amount } as const;
  const id = newId("att", createdAt, tenant);
  const attempt = newAttempt(tenant, { id, ...authorize }, cause, createdAt);
  const claim = keyValues(context, tenant, key, { attemptId: id });
  const subject = await startCharge(db, terms, charge, attempt, claim);
  return subject && { attempt, subject, keyClaim: claimOf(tenant, claim) };
}

/**
 * Begins a charge as part of a transaction.
 *
 * @throws ApiError if the decision doesn't allow this charge; nothing was changed
 */
export async function beginCharge(
  context: Pick<PlatformContext, "now" | "keys">,
  tx: Tx,
  tenant: Tenant,
  order: ChargeOrder,
  cause: Cause,
): Promise<BegunAttempt> {
  const begun = await beginChargeAtOnce(context, tx, tenant, order, cause, null);
  if (begun === undefined) throw await refusalReason(tx, tenant, order, context.now());
  return begun;
}

async function refusalReason(tx: Tx, tenant: Tenant, order: ChargeOrder, now: Date): Promise<ApiError> {
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
