/**
 * The state machine of a decision. A decision allows one charge, for a session or for an API request without a session.
 * The charge must be made within fifteen minutes, with the decision's account, mode, payment method and currency, and
 * for at most its amount. Every transition is one conditional update.
 *
 * ```
 *     | insertDecision (directly in any of the first three states)
 *     v
 * requires_action --approve--> approved --startCharge, or consumeForVerification of a card--> consumed
 *     |      |                    |
 *     |      +--decline--> declined
 *     +--expireDecisions (its time is over)--> expired <--+
 * ```
 * A consumed decision stays consumed, whatever the outcome of its charge.
 */
import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import type { DeclineCode } from "@oriel/protocol/declines";
import type { PlatformContext } from "../../platform/context.ts";
import { claimedKey, keyArguments, type KeyValues } from "../../platform/idempotency/idempotency.ts";
import { tenantOfId } from "../../platform/ids.ts";
import type { Db, Tx } from "../../platform/storage/database.ts";
import type { IsReachable } from "../../platform/storage/nodes.ts";
import { hasId, ownedBy, sameOwner } from "../../platform/storage/owned-by.ts";
import { takeDue } from "../../platform/storage/per-owner.ts";
import { storedFunction } from "../../platform/storage/stored-function.ts";
import type { Row, Tables, ThreeDSResult } from "../../platform/storage/tables.ts";
import { ownerColumns, type Tenant } from "../../platform/tenant.ts";
import { returnToken } from "../risk/bucket.ts";
import { recordOutcome } from "../risk/card-attempts.ts";
import { release } from "../sessions/session-state.ts";

const lifetimeMs = 15 * 60 * 1000;

/** When a decision made now expires. */
function decisionExpiry(now: Date): Date {
  return new Date(now.getTime() + lifetimeMs);
}

/** What is known about a decision before it is written. */
export type NewDecision = Omit<Row<"decision">, "acquirer_merchant_id" | "acquirer_account_id">;

/** A decision in its initial state, which expires in fifteen minutes. */
export function newDecision(
  tenant: Tenant,
  decision: Pick<
    NewDecision,
    "id" | "payment_method_id" | "status" | "amount" | "currency" | "risk_level" | "risk_reasons"
  > &
    Partial<
      Pick<
        NewDecision,
        "session_id" | "payer" | "has_token" | "has_reserve" | "decline_code" | "three_ds_result" | "request_id"
      >
    >,
  now: Date,
): NewDecision {
  return {
    session_id: null,
    payer: null,
    has_token: false,
    has_reserve: false,
    decline_code: null,
    declined_at: decision.status === "declined" ? now : null,
    three_ds_result: null,
    three_ds_version: null,
    eci: null,
    cardholder_info: null,
    charge_id: null,
    request_id: null,
    ...decision,
    ...ownerColumns(tenant),
    expires_at: decisionExpiry(now),
    created_at: now,
  };
}

/** Exported for `stored-functions.ts`. */
export const insert = storedFunction<Pick<Row<"decision">, "acquirer_merchant_id" | "acquirer_account_id">>("decide", {
  takes: {
    account_no: "bigint",
    livemode: "boolean",
    saved_payment_method_id: "text",
    ...keyArguments,
    id: "text",
    session_id: "text",
    payment_method_id: "text",
    status: "text",
    amount: "bigint",
    currency: "text",
    risk_level: "text",
    risk_reasons: "text[]",
    payer: "text",
    has_token: "boolean",
    has_reserve: "boolean",
    three_ds_result: "text",
    decline_code: "text",
    declined_at: "timestamptz",
    request_id: "uuid",
    expires_at: "timestamptz",
    created_at: "timestamptz",
  },
  returns: "acquirer_merchant_id text, acquirer_account_id text",
  declares: "is_saved boolean; own_id text; merchant_id text;",
  steps: /* sql */ `
    if :saved_payment_method_id is not null then
      select reusable into is_saved from payment_method
      where account_no = :account_no and livemode = :livemode and id = :saved_payment_method_id for share;
      if is_saved is not true then return; end if;
    end if;
    select id into own_id from acquirer_account
    where account_no = :account_no and livemode = :livemode and replaced_at is null;
    if :livemode and own_id is null then
      select acquirer_merchant_id into merchant_id from account where account_no = :account_no;
      if merchant_id is null then return; end if;
    end if;
    ${claimedKey}
    insert into decision (account_no, livemode, id, session_id, payment_method_id, status, amount, currency, risk_level,
      risk_reasons, payer, has_token, has_reserve, three_ds_result, decline_code, declined_at, request_id,
      acquirer_merchant_id, acquirer_account_id, expires_at, created_at)
    values (:account_no, :livemode, :id, :session_id, :payment_method_id, :status, :amount, :currency, :risk_level,
      :risk_reasons, :payer, :has_token, :has_reserve, :three_ds_result, :decline_code, :declined_at, :request_id,
      merchant_id, own_id, :expires_at, :created_at);
    return query select merchant_id, own_id;`,
});

/**
 * Inserts a decision and, if it was requested with an idempotency key, finishes the key. The decision keeps the account's
 * current acquirer account or, in live mode without one, the merchant ID at the default acquirer. So later changes to the
 * account don't affect it.
 *
 * @param options.mustBeSaved true if the payment method has to be a saved one. It can't be detached until the commit.
 * @returns undefined if nothing was changed: another request has the key, the payment method isn't saved, or a live
 *   account has neither an acquirer account nor a merchant ID
 */
export async function insertDecision(
  db: Db,
  decision: NewDecision,
  { key, mustBeSaved }: { key: KeyValues; mustBeSaved: boolean },
): Promise<Row<"decision"> | undefined> {
  const saved_payment_method_id = mustBeSaved ? decision.payment_method_id : null;
  const [inserted] = await insert(db, { ...key, ...decision, saved_payment_method_id });
  return inserted && { ...decision, ...inserted };
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

/** approved or requires_action -> expired, for a session's decision if its expiry time has passed. Frees the session. */
export async function expireDecisionOf(tx: Tx, sessionId: string, now: Date): Promise<void> {
  const owner = tenantOfId(sessionId);
  if (owner !== undefined) await expire(tx, owner, hasId(sessionId, "session_id"), now);
}

/** The same for the decisions of all sessions, and those without a session. @returns the number of expired decisions */
export async function expireDecisions(
  context: Pick<PlatformContext, "db" | "nodes" | "now" | "log">,
  limit: number,
): Promise<number> {
  const { db, now } = context;
  const time = now();
  const expired = await takeDue(context, {
    step: "expire decisions",
    due: (of) =>
      db
        .selectFrom("decision")
        .select(["account_no", "livemode", "id"])
        .where(isExpired(time, of))
        .orderBy("expires_at"),
    limit,
    take: (areTaken, owner) => db.transaction().execute((tx) => expire(tx, owner, areTaken, time)),
  });
  return expired.flat().length;
}

async function expire(tx: Tx, owner: Tenant, which: Expression<SqlBool>, now: Date): Promise<{ id: string }[]> {
  const expired = await tx
    .updateTable("decision")
    .set({ status: "expired" })
    .where(which)
    .where(isExpired(now, owner))
    .returning(["account_no", "livemode", "id", "session_id", "has_token", "has_reserve"])
    .execute();
  for (const decision of expired) {
    const { id, session_id } = decision;
    if (session_id !== null) await release(tx, session_id, id);
    await recordOutcome(tx, id, "abandoned");
    await returnToken(tx, decision);
  }
  return expired;
}

/**
 * Whether a decision's expiry time has passed. One with an authentication ends with that authentication instead.
 *
 * @param of the decision's owner, or for a query about all accounts, the condition that a row's node responds
 */
function isExpired(now: Date, of: Tenant | IsReachable) {
  return ({ and, or, eb, not, exists, selectFrom }: ExpressionBuilder<Tables, "decision">) => {
    const authentication = selectFrom("authentication")
      .select("authentication.id")
      .whereRef("authentication.decision_id", "=", "decision.id");
    const hasNone =
      typeof of === "function"
        ? not(exists(authentication.where(sameOwner("authentication", "decision")).where(of("authentication"))))
        : // For `not exists`, PostgreSQL could read all authentications of the account.
          eb(authentication.where(ownedBy(of, "authentication")).limit(1), "is", null);
    return and([
      eb("status", "in", ["approved", "requires_action"]),
      eb("expires_at", "<=", now),
      or([eb("status", "=", "approved"), hasNone]),
    ]);
  };
}

/** requires_action -> declined. */
export async function decline(
  tx: Tx,
  decisionId: string,
  outcome: ThreeDSOutcome,
  declineCode: DeclineCode,
  cardholderInfo: string | null,
  now: Date,
): Promise<Row<"decision">> {
  return await inState(tx, decisionId, "requires_action")
    .set({
      status: "declined",
      ...columnsOf(outcome),
      decline_code: declineCode,
      declined_at: now,
      cardholder_info: cardholderInfo,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Records the end of a step-up: replaces the result in the consumed decision with that of the second authentication.
 *
 * @param declineCode why the charge or verification failed; null if it continues
 */
export async function recordStepUp(
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
