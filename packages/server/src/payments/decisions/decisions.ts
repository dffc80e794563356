/**
 * The API's view of decisions. A decision with a session is created by that session's payment (`flow/payments.ts`).
 * Decisions requested through the API are for payment methods that don't depend on a session: saved ones and, in test
 * mode, the test payment methods.
 */
import type { CreateDecision, Decision } from "@oriel/protocol/api";
import { isTestPaymentMethodId } from "@oriel/protocol/test-payment-methods";
import { acquirerMissing } from "../../merchants/accounts/live-mode.ts";
import { ApiError, missingInBody, missingInPath } from "../../platform/errors.ts";
import { keyValues, type NewKey } from "../../platform/idempotency/idempotency.ts";
import { successResponse } from "../../platform/idempotency/stored-response.ts";
import { newId } from "../../platform/ids.ts";
import type { Db } from "../../platform/storage/database.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { unixSeconds } from "../../platform/unix-seconds.ts";
import type { PaymentContext } from "../context.ts";
import { assess, noRisk, type Assessment } from "../risk/assess.ts";
import { beginTry, recordOutcome } from "../risk/card-attempts.ts";
import { settingsFor } from "../risk/settings.ts";
import { isProved } from "../threeds/outcome.ts";
import { insertDecision, newDecision, type NewDecision } from "./decision-state.ts";

/** The assessment that is made before the transaction that creates a decision. */
export interface JudgedDecision {
  id: string;
  risk: Assessment;
  status: "requires_action" | "approved" | "declined";
}

/**
 * Assesses a charge without the customer present, with a saved payment method or a test payment method. Test payment
 * methods never count toward risk limits. Must not run in a transaction, so that concurrent requests see each other.
 *
 * @param key claimed together with the first thing that is written, so that a repeated request counts only once
 * @returns undefined if another request has the key
 * @throws ApiError `resource_missing`, `payment_method_not_reusable` or `rate_limited`
 */
export async function judgeDecision(
  context: PaymentContext,
  tenant: Tenant,
  request: CreateDecision,
  key: NewKey | null,
): Promise<JudgedDecision | undefined> {
  const { payment_method_id, amount, currency } = request;
  const id = newId("dec", context.now(), tenant);
  if (isTestMethod(tenant, payment_method_id)) {
    const needsCustomer = payment_method_id === "pm_card_three_d_secure_required";
    return { id, risk: noRisk, status: needsCustomer ? "requires_action" : "approved" };
  }
  // Without risk rules, the decision's statement finds out whether the payment method is saved.
  if (settingsFor(context.riskSettings, tenant) === null) return { id, risk: noRisk, status: "approved" };
  const { fingerprint } = await findReusable(context.db, tenant, payment_method_id);
  const cardTry = { tenant, decisionId: id, sessionId: null, ip: null, amount, currency };
  if (!(await beginTry(context, cardTry, key))) return undefined;
  const risk = await assess(context, cardTry, { fingerprint, isReturning: false });
  switch (risk.verdict) {
    case "approve":
      return { id, risk, status: "approved" };
    case "challenge":
      return { id, risk, status: "requires_action" };
    case "decline":
      await recordOutcome(context.db, id, "rejected");
      return { id, risk, status: "declined" };
  }
}

/**
 * Creates a decision and, if the request has a key, stores its response under the key.
 *
 * @returns undefined if nothing was changed: another request has the key, or the decision is refused ({@link decisionRefusal})
 */
export async function createDecision(
  context: Pick<PaymentContext, "now" | "keys">,
  db: Db,
  tenant: Tenant,
  request: CreateDecision,
  { id, risk, status }: JudgedDecision,
  key: NewKey | null,
): Promise<Decision | undefined> {
  const createdAt = context.now();
  const { payment_method_id, amount, currency } = request;
  const decline_code = status === "declined" ? ("risk_rejected" as const) : null;
  // The customer can't authenticate here, so this decision can't be approved. The merchant must create a session.
  const risk_reasons = status === "requires_action" ? [...risk.reasons, "authentication_required"] : risk.reasons;
  const row = newDecision(
    tenant,
    { id, payment_method_id, amount, currency, status, decline_code, risk_level: risk.level, risk_reasons },
    createdAt,
  );
  const decision = toDecision(row, createdAt);
  const inserted = await insertDecision(db, row, {
    key: keyValues(context, tenant, key, { response: successResponse(decision) }),
    // Check again, because the payment method may have been detached since the assessment.
    mustBeSaved: !isTestMethod(tenant, payment_method_id),
  });
  return inserted && decision;
}

/** Why {@link createDecision} didn't create a decision for a request without a key. */
export async function decisionRefusal(
  db: Db,
  tenant: Tenant,
  { payment_method_id }: CreateDecision,
): Promise<ApiError> {
  if (isTestMethod(tenant, payment_method_id)) return acquirerMissing();
  await findReusable(db, tenant, payment_method_id);
  return acquirerMissing();
}

export async function retrieveDecision(
  { db, now }: Pick<PaymentContext, "db" | "now">,
  tenant: Tenant,
  id: string,
): Promise<Decision> {
  const row = await findDecision(db, tenant, id);
  if (row === undefined) throw missingInPath("decision", id);
  return toDecision(row, now());
}

export async function findDecision(db: Db, tenant: Tenant, id: string): Promise<Row<"decision"> | undefined> {
  return await db.selectFrom("decision").selectAll().where("id", "=", id).where(ownedBy(tenant)).executeTakeFirst();
}

function toDecision(row: NewDecision, now: Date): Decision {
  // A decision with an authentication ends with that authentication, not at its expiry time.
  const mayRunOut = row.status === "approved" || (row.status === "requires_action" && row.session_id === null);
  const isExpired = mayRunOut && row.expires_at <= now;
  return {
    id: row.id,
    object: "decision",
    livemode: row.livemode,
    created: unixSeconds(row.created_at),
    status: isExpired ? "expired" : row.status,
    amount: row.amount,
    currency: row.currency,
    payment_method_id: row.payment_method_id,
    session_id: row.session_id,
    risk: { level: row.risk_level, reasons: row.risk_reasons },
    three_d_secure:
      row.three_ds_result === null
        ? null
        : {
            result: row.three_ds_result,
            version: row.three_ds_version,
            eci: row.eci,
            liability_shift: isProved(row.three_ds_result),
          },
    decline_code: row.decline_code,
    charge_id: row.charge_id,
    expires_at: unixSeconds(row.expires_at),
  };
}

function isTestMethod({ livemode }: Tenant, id: string): boolean {
  return !livemode && isTestPaymentMethodId(id);
}

/** @throws ApiError if the payment method doesn't exist or isn't saved */
async function findReusable(db: Db, tenant: Tenant, id: string): Promise<Row<"payment_method">> {
  const known = await db
    .selectFrom("payment_method")
    .selectAll()
    .where("id", "=", id)
    .where(ownedBy(tenant))
    .executeTakeFirst();
  if (known === undefined) throw missingInBody("payment method", id, "payment_method_id");
  if (known.reusable) return known;
  throw new ApiError(
    "payment_method_not_reusable",
    `Payment method ${id} isn't saved or has been detached, so you can't use it for new decisions.`,
    { param: "payment_method_id" },
  );
}
