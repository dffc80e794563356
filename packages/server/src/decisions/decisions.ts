/**
 * Decisions: the verdict that lets one charge happen. A decision binds one account, one mode, one payment method and one currency, up to its
 * amount, once, for fifteen minutes.
 *
 * ```
 * requires_action --approve--> approved --consume (with the charge)--> consumed
 *     |      |                    |
 *     |      +--decline--> declined
 *     +--(fifteen minutes)--> expired <--+
 * ```
 * Those with a session are made by its payment (`payments/`). Those asked for by the API are for payment methods that outlive their
 * session; today these are the test payment methods.
 */
import type { CreateDecision, Decision } from "@oriel/protocol/api";
import type { DeclineCode } from "@oriel/protocol/errors";
import { isTestPaymentMethodId } from "@oriel/protocol/test-payment-methods";
import type { Context } from "../context.ts";
import { ownedBy, type Tenant } from "../tenant.ts";
import { ApiError, missingInBody, missingInPath } from "../errors.ts";
import { newId } from "../ids.ts";
import { release } from "../sessions/session-state.ts";
import type { Tx } from "../storage/database.ts";
import type { Row, ThreeDSResult } from "../storage/tables.ts";
import { unixSeconds } from "../unix-seconds.ts";

const lifetimeMs = 15 * 60 * 1000;

/** When a decision made now runs out. */
export function decisionExpiry(now: Date): Date {
  return new Date(now.getTime() + lifetimeMs);
}

/** A decision with the customer absent. */
export async function createDecision(
  { db, now }: Pick<Context, "db" | "now">,
  tenant: Tenant,
  request: CreateDecision,
): Promise<Decision> {
  const { payment_method_id } = request;
  if (tenant.livemode || !isTestPaymentMethodId(payment_method_id)) await refusePaymentMethod(db, tenant, payment_method_id);
  const needsCustomer = payment_method_id === "pm_card_three_d_secure_required";
  const createdAt = now();
  const row = await db
    .insertInto("decision")
    .values({
      id: newId("dec", createdAt),
      account_id: tenant.accountId,
      livemode: tenant.livemode,
      payment_method_id,
      status: needsCustomer ? "requires_action" : "approved",
      amount: request.amount,
      currency: request.currency,
      risk_level: "normal",
      risk_reasons: needsCustomer ? ["authentication_required"] : [],
      expires_at: decisionExpiry(createdAt),
      created_at: createdAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toDecision(row, createdAt);
}

export async function retrieveDecision({ db, now }: Pick<Context, "db" | "now">, tenant: Tenant, id: string): Promise<Decision> {
  const row = await findDecision(db, tenant, id);
  if (row === undefined) throw missingInPath("decision", id);
  return toDecision(row, now());
}

export async function findDecision(db: Context["db"], tenant: Tenant, id: string): Promise<Row<"decision"> | undefined> {
  return await db.selectFrom("decision").selectAll().where("id", "=", id).where(ownedBy(tenant)).executeTakeFirst();
}

/** What 3-D Secure gave, as the decision keeps it. */
export interface ThreeDSOutcome {
  result: ThreeDSResult;
  version: string | null;
  eci: string | null;
}

/** requires_action -> approved. The fifteen minutes begin here. */
export async function approve(tx: Tx, decisionId: string, outcome: ThreeDSOutcome, now: Date): Promise<Row<"decision">> {
  return await tx
    .updateTable("decision")
    .set({
      status: "approved",
      three_ds_result: outcome.result,
      three_ds_version: outcome.version,
      eci: outcome.eci,
      expires_at: decisionExpiry(now),
    })
    .where("id", "=", decisionId)
    .where("status", "=", "requires_action")
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * approved or requires_action -> expired, for those whose time is over; a session that waited for one is free again. One that waits for the
 * customer's bank ends with its authentication, not here.
 *
 * @param of as many of all, or those of one session
 * @returns how many
 */
export async function expireDecisions(tx: Tx, of: { sessionId: string } | { limit: number }, now: Date): Promise<number> {
  let due = tx
    .selectFrom("decision")
    .leftJoin("authentication", "authentication.decision_id", "decision.id")
    .select("decision.id")
    .where("decision.status", "in", ["approved", "requires_action"])
    .where("decision.expires_at", "<=", now)
    .where(({ eb, or }) => or([eb("decision.status", "=", "approved"), eb("authentication.id", "is", null)]))
    .limit("limit" in of ? of.limit : 1);
  if ("sessionId" in of) due = due.where("decision.session_id", "=", of.sessionId);
  const expired = await tx
    .updateTable("decision")
    .set({ status: "expired" })
    .where("id", "in", due)
    .where("status", "in", ["approved", "requires_action"])
    .returning(["id", "session_id"])
    .execute();
  for (const { id, session_id } of expired) if (session_id !== null) await release(tx, session_id, id);
  return expired.length;
}

/** requires_action -> declined. */
export async function decline(
  tx: Tx,
  decisionId: string,
  outcome: ThreeDSOutcome,
  declineCode: DeclineCode,
  cardholderInfo: string | null,
): Promise<Row<"decision">> {
  return await tx
    .updateTable("decision")
    .set({
      status: "declined",
      three_ds_result: outcome.result,
      three_ds_version: outcome.version,
      eci: outcome.eci,
      decline_code: declineCode,
      cardholder_info: cardholderInfo,
    })
    .where("id", "=", decisionId)
    .where("status", "=", "requires_action")
    .returningAll()
    .executeTakeFirstOrThrow();
}

function toDecision(row: Row<"decision">, now: Date): Decision {
  const isOver = (row.status === "approved" || row.status === "requires_action") && row.expires_at <= now;
  return {
    id: row.id,
    object: "decision",
    livemode: row.livemode,
    created: unixSeconds(row.created_at),
    status: isOver ? "expired" : row.status,
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
            liability_shift: row.three_ds_result === "authenticated" || row.three_ds_result === "attempted",
          },
    decline_code: row.decline_code,
    charge_id: row.charge_id,
    expires_at: unixSeconds(row.expires_at),
  };
}

async function refusePaymentMethod(db: Context["db"], tenant: Tenant, id: string): Promise<never> {
  const known = await db.selectFrom("payment_method").select("id").where("id", "=", id).where(ownedBy(tenant)).executeTakeFirst();
  if (known === undefined) throw missingInBody("payment method", id, "payment_method_id");
  throw new ApiError(
    "payment_method_not_reusable",
    `The payment method ${id} was not saved: it works for its own checkout session only.`,
    {
      param: "payment_method_id",
    },
  );
}
