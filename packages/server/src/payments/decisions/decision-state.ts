/**
 * The state machine of a decision. A decision allows one charge, for a session or for an API request without a session.
 * The charge must be made within fifteen minutes, with the decision's account, mode, payment method and currency, and
 * for at most its amount. Every transition is one conditional update.
 *
 * ```
 *     | insertDecision (directly in any of the first three states)
 *     v
 * requires_action --approve--> approved --consume (with the charge, or the verification of a card)--> consumed
 *     |      |                    |
 *     |      +--decline--> declined
 *     +--expireDecisions (its time is over)--> expired <--+
 * ```
 * A consumed decision stays consumed, whatever the outcome of its charge.
 */
import type { DeclineCode } from "@oriel/protocol/declines";
import type { Insertable } from "kysely";
import { acquirerMissing } from "../../merchants/accounts/live-mode.ts";
import { recordOutcome } from "../risk/card-attempts.ts";
import { release } from "../sessions/session-state.ts";
import type { Tx } from "../../platform/storage/database.ts";
import type { Row, Tables, ThreeDSResult } from "../../platform/storage/tables.ts";
import { hasId, hasKeyIn, ownedBy, sameOwner } from "../../platform/storage/owned-by.ts";
import type { Tenant } from "../../platform/tenant.ts";

const lifetimeMs = 15 * 60 * 1000;

/** When a decision made now expires. */
function decisionExpiry(now: Date): Date {
  return new Date(now.getTime() + lifetimeMs);
}

/**
 * Inserts a decision in its initial state. It expires in fifteen minutes. A live decision stores the account's current
 * acquirer merchant ID, so later changes to the account don't affect it.
 *
 * @throws ApiError `acquirer_not_configured` for a live decision if the account has no merchant ID
 */
export async function insertDecision(
  tx: Tx,
  tenant: Tenant,
  decision: Omit<
    Insertable<Tables["decision"]>,
    "account_no" | "livemode" | "acquirer_merchant_id" | "expires_at" | "created_at"
  >,
  now: Date,
): Promise<Row<"decision">> {
  const inserted = await tx
    .insertInto("decision")
    .values({
      ...decision,
      account_no: tenant.accountNo,
      livemode: tenant.livemode,
      acquirer_merchant_id: tenant.livemode
        ? ({ selectFrom }) =>
            selectFrom("account").select("acquirer_merchant_id").where("account_no", "=", tenant.accountNo)
        : null,
      expires_at: decisionExpiry(now),
      created_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  if (tenant.livemode && inserted.acquirer_merchant_id === null) throw acquirerMissing();
  return inserted;
}

/** The outcome of 3-D Secure, as stored in the decision. */
export interface ThreeDSOutcome {
  result: ThreeDSResult;
  version: string | null;
  eci: string | null;
}

/** requires_action -> approved. The decision expires fifteen minutes from now. */
export async function approve(
  tx: Tx,
  decisionId: string,
  outcome: ThreeDSOutcome,
  now: Date,
): Promise<Row<"decision">> {
  return await inState(tx, decisionId, "requires_action")
    .set({ status: "approved", ...columnsOf(outcome), expires_at: decisionExpiry(now) })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * approved or requires_action -> expired, for decisions whose expiry time has passed. Frees their sessions. A decision
 * with an authentication ends with that authentication instead.
 *
 * @param of up to `limit` decisions of any session, or those of one session
 * @returns the number of expired decisions
 */
export async function expireDecisions(
  tx: Tx,
  of: { sessionId: string } | { limit: number },
  now: Date,
): Promise<number> {
  let due = tx
    .selectFrom("decision")
    .leftJoin("authentication", (join) =>
      join.onRef("authentication.decision_id", "=", "decision.id").on(sameOwner("authentication", "decision")),
    )
    .select(["decision.account_no", "decision.livemode", "decision.id"])
    .where("decision.status", "in", ["approved", "requires_action"])
    .where("decision.expires_at", "<=", now)
    .where(({ eb, or }) => or([eb("decision.status", "=", "approved"), eb("authentication.id", "is", null)]))
    .limit("limit" in of ? of.limit : 1);
  if ("sessionId" in of) due = due.where(hasId(of.sessionId, "decision.session_id"));
  const expired = await tx
    .updateTable("decision")
    .set({ status: "expired" })
    .where(hasKeyIn(due))
    .where("status", "in", ["approved", "requires_action"])
    .returning(["id", "session_id"])
    .execute();
  for (const { id, session_id } of expired) {
    if (session_id !== null) await release(tx, session_id, id);
    await recordOutcome(tx, id, "abandoned");
  }
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
  return await inState(tx, decisionId, "requires_action")
    .set({ status: "declined", ...columnsOf(outcome), decline_code: declineCode, cardholder_info: cardholderInfo })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Records the end of a step-up: replaces the result in the consumed decision with that of the second authentication.
 *
 * @param declineCode why the charge or verification failed; null if it continues
 */
export async function noteStepUp(
  tx: Tx,
  decisionId: string,
  outcome: ThreeDSOutcome,
  declineCode: DeclineCode | null,
  cardholderInfo: string | null,
): Promise<Row<"decision">> {
  return await inState(tx, decisionId, "consumed")
    .set({ ...columnsOf(outcome), decline_code: declineCode, cardholder_info: cardholderInfo })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The fields in which a charge must match its decision. */
export interface ChargeTerms {
  decision_id: string;
  payment_method_id: string;
  amount: number;
  currency: string;
}

/** approved -> consumed, if the charge matches. One conditional update, so it happens only once. */
export async function consume(
  tx: Tx,
  tenant: Tenant,
  order: ChargeTerms,
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

/** approved -> consumed, without a charge. */
export async function consumeForVerification(tx: Tx, decisionId: string): Promise<void> {
  await inState(tx, decisionId, "approved").set({ status: "consumed" }).returning("id").executeTakeFirstOrThrow();
}

/** Updates a decision only if it's in this state. */
function inState(tx: Tx, decisionId: string, status: Row<"decision">["status"]) {
  return tx.updateTable("decision").where(hasId(decisionId)).where("status", "=", status);
}

function columnsOf({ result, version, eci }: ThreeDSOutcome) {
  return { three_ds_result: result, three_ds_version: version, eci };
}
