/**
 * The state machine of a decision: the verdict that lets one charge happen. It binds one account, one mode, one payment
 * method and one currency, up to its amount, once, for fifteen minutes. Every transition is one conditional update.
 *
 * ```
 *     | insertDecision (in any of the first three, as far as can be said at once)
 *     v
 * requires_action --approve--> approved --consume (with the charge, or the verification of a card)--> consumed
 *     |      |                    |
 *     |      +--decline--> declined
 *     +--expireDecisions (its time is over)--> expired <--+
 * ```
 * What comes of the charge does not bring a decision back.
 */
import type { DeclineCode } from "@oriel/protocol/declines";
import type { Insertable } from "kysely";
import { acquirerMissing } from "../../merchants/accounts/live-mode.ts";
import { recordOutcome } from "../risk/card-tries.ts";
import { release } from "../sessions/session-state.ts";
import type { Tx } from "../../platform/storage/database.ts";
import type { Row, Tables, ThreeDSResult } from "../../platform/storage/tables.ts";
import { ownedBy, type Tenant } from "../../platform/tenant.ts";

const lifetimeMs = 15 * 60 * 1000;

/** When a decision made now runs out. */
function decisionExpiry(now: Date): Date {
  return new Date(now.getTime() + lifetimeMs);
}

/**
 * A decision, as far as it stands at once. Its fifteen minutes begin now. A live one is a sale under the account's
 * merchant id of this moment, whatever becomes of that afterwards.
 *
 * @throws ApiError `acquirer_not_configured` for a live one of an account that has none
 */
export async function insertDecision(
  tx: Tx,
  tenant: Tenant,
  decision: Omit<
    Insertable<Tables["decision"]>,
    "account_id" | "livemode" | "acquirer_merchant_id" | "expires_at" | "created_at"
  >,
  now: Date,
): Promise<Row<"decision">> {
  const inserted = await tx
    .insertInto("decision")
    .values({
      ...decision,
      account_id: tenant.accountId,
      livemode: tenant.livemode,
      acquirer_merchant_id: tenant.livemode
        ? ({ selectFrom }) => selectFrom("account").select("acquirer_merchant_id").where("id", "=", tenant.accountId)
        : null,
      expires_at: decisionExpiry(now),
      created_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  if (tenant.livemode && inserted.acquirer_merchant_id === null) throw acquirerMissing();
  return inserted;
}

/** What 3-D Secure gave, as the decision keeps it. */
export interface ThreeDSOutcome {
  result: ThreeDSResult;
  version: string | null;
  eci: string | null;
}

/** requires_action -> approved. The fifteen minutes begin here. */
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
 * approved or requires_action -> expired, for those whose time is over; a session that waited for one is free again.
 * One that waits for the customer's bank ends with its authentication, not here.
 *
 * @param of as many of all, or those of one session
 * @returns how many
 */
export async function expireDecisions(
  tx: Tx,
  of: { sessionId: string } | { limit: number },
  now: Date,
): Promise<number> {
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
 * A second authentication has ended: the consumed decision tells of that one from here on.
 *
 * @param declineCode why what it was consumed for has failed; null where that goes on
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

/** What a charge must agree on with its decision. */
export interface ChargeTerms {
  decision_id: string;
  payment_method_id: string;
  amount: number;
  currency: string;
}

/** Approved and fitting, and never again: one conditional update. */
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

/** Of one decision, in this state only. */
function inState(tx: Tx, decisionId: string, status: Row<"decision">["status"]) {
  return tx.updateTable("decision").where("id", "=", decisionId).where("status", "=", status);
}

function columnsOf({ result, version, eci }: ThreeDSOutcome) {
  return { three_ds_result: result, three_ds_version: version, eci };
}
