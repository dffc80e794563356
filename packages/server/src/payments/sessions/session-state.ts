/**
 * The state machine of a checkout session. Every transition is one conditional update, so it happens at most once, even
 * with concurrent callers.
 *
 * ```
 * open, unpaid, unclaimed
 *   | claimForPayment            one payment at a time, in the current round, at the current version's amount; two tabs
 *   |                            race for this lock
 *   v
 * open, unpaid, claimed  --releaseAfterFailure-->  open, unpaid, unclaimed  (the customer may try again)
 *   |        |           --releaseAfterFailure-->  expired                  (after the fifth failure)
 *   |        +--release-->  open, unpaid, unclaimed                         (the decision expired unused)
 *   | startCharge            the acquirer is about to be called
 *   v
 * open, processing, claimed  --approveCharge-->  complete, paid             (captured)
 *                            --approveCharge-->  complete, authorized --settleReserved-->  complete, paid | unpaid
 *                            complete, paid --loseCapture-->  complete, unpaid  (the capture failed after all)
 *                            complete, unpaid | authorized --recoverCapture-->  complete, paid  (captured after all)
 * open, claimed            --completeVerified-->  complete                  (mode setup or a total of 0: card saved)
 * open, unpaid, unclaimed  --completeWithoutCard-->  complete, unpaid       (a total of 0, and no card to save)
 * open, unclaimed          --end-->  expired | canceled                     (the merchant ends it)
 * open, unclaimed          --expire-->  expired                             (its time is over)
 * ```
 * A capture settles an authorized session as paid, a cancellation as unpaid. A session doesn't expire while a payment
 * is in progress, because the outcome is unknown and money may move.
 */
import { sql, type Expression, type SqlBool } from "kysely";
import type { Db, Tx } from "../../platform/storage/database.ts";
import { hasId, ownedBy } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import type { Tenant } from "../../platform/tenant.ts";

type Session = Row<"checkout_session">;

/** The maximum number of failed payments in one session. */
const maxFailedPayments = 5;

export function attemptsLeft({ failed_payments }: Pick<Session, "failed_payments">): number {
  return Math.max(0, maxFailedPayments - failed_payments);
}

/**
 * Claims the session for a payment.
 *
 * @param shown the round and the version that the page showed
 * @returns what the customer pays, or undefined if this payment may not proceed
 */
export async function claimForPayment(
  tx: Tx,
  sessionId: string,
  decisionId: string,
  shown: Pick<Session, "payment_round" | "version">,
  now: Date,
): Promise<Pick<Session, "mode" | "amount" | "currency"> | undefined> {
  return await tx
    .updateTable("checkout_session")
    .set({ payment_decision_id: decisionId, version_claimed_by: decisionId })
    .where(hasId(sessionId))
    .where("status", "=", "open")
    .where("payment_decision_id", "is", null)
    .where("payment_round", "=", shown.payment_round)
    .where("version", "=", shown.version)
    .where("expires_at", ">", now)
    .returning(["mode", "amount", "currency"])
    .executeTakeFirst();
}

/** Starts the next round. From now on, requests from earlier rounds can't claim the session. */
export async function beginRound(tx: Tx, sessionId: string): Promise<void> {
  await tx
    .updateTable("checkout_session")
    .set({ payment_round: sql<number>`payment_round + 1` })
    .where(hasId(sessionId))
    .execute();
}

/**
 * Replaces the client secret. It also begins a round, so that no request of a page that was opened with the old secret
 * can claim the session afterwards.
 */
export async function replaceSecret(
  tx: Tx,
  tenant: Tenant,
  sessionId: string,
  client_secret_hash: Buffer,
): Promise<void> {
  await tx
    .updateTable("checkout_session")
    .set({ client_secret_hash, payment_round: sql<number>`payment_round + 1` })
    .where(ownedBy(tenant))
    .where("id", "=", sessionId)
    .execute();
}

/** Completes the session after its card was verified, without a charge. */
export async function completeVerified(tx: Tx, sessionId: string, decisionId: string): Promise<Session> {
  return await ofPayment(tx, sessionId, decisionId)
    .set({ status: "complete" })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Whether the customer must enter a card, to pay or to save it. */
export function needsCard({
  mode,
  amount,
  save_payment_method,
}: Pick<Session, "mode" | "amount" | "save_payment_method">): boolean {
  return mode === "setup" || amount !== 0 || save_payment_method;
}

/**
 * Completes a session that needs no card ({@link needsCard}).
 *
 * @param shown the round and the version that the page showed
 * @returns undefined if it needs one, has ended or a payment in progress, or isn't what the page showed
 */
export async function completeWithoutCard(
  tx: Tx,
  sessionId: string,
  shown: Pick<Session, "payment_round" | "version">,
  now: Date,
): Promise<Session | undefined> {
  return await tx
    .updateTable("checkout_session")
    .set({ status: "complete" })
    .where(hasId(sessionId))
    .where("status", "=", "open")
    .where("payment_decision_id", "is", null)
    .where("payment_round", "=", shown.payment_round)
    .where("version", "=", shown.version)
    .where("mode", "=", "payment")
    .where("amount", "=", 0)
    .where("save_payment_method", "=", false)
    .where("expires_at", ">", now)
    .returningAll()
    .executeTakeFirst();
}

/** Updates a complete session after its authorized amount was captured or released. */
export async function settleReserved(
  tx: Tx,
  sessionId: string,
  decisionId: string,
  payment_status: "paid" | "unpaid",
): Promise<Session> {
  return await tx
    .updateTable("checkout_session")
    .set({ payment_status })
    .where(hasId(sessionId))
    .where("status", "=", "complete")
    .where("payment_status", "=", "authorized")
    .where("payment_decision_id", "=", decisionId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The payment of a complete session was captured, and the money came back. */
export async function loseCapture(tx: Tx, sessionId: string, decisionId: string): Promise<Session> {
  return await tx
    .updateTable("checkout_session")
    .set({ payment_status: "unpaid" })
    .where(hasId(sessionId))
    .where("status", "=", "complete")
    .where("payment_status", "=", "paid")
    .where("payment_decision_id", "=", decisionId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The payment of a complete session was captured although the capture had failed. */
export async function recoverCapture(tx: Tx, sessionId: string, decisionId: string): Promise<Session> {
  return await tx
    .updateTable("checkout_session")
    .set({ payment_status: "paid" })
    .where(hasId(sessionId))
    .where("status", "=", "complete")
    .where("payment_status", "in", ["unpaid", "authorized"])
    .where("payment_decision_id", "=", decisionId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Ends a session at the merchant's request.
 *
 * @returns undefined if the session has already ended or a payment is in progress
 */
export async function end(tx: Tx, sessionId: string, status: "expired" | "canceled"): Promise<Session | undefined> {
  return await tx
    .updateTable("checkout_session")
    .set({ status })
    .where(hasId(sessionId))
    .where("status", "=", "open")
    .where("payment_decision_id", "is", null)
    .returningAll()
    .executeTakeFirst();
}

/** Counts a failed payment and releases the session. After the fifth failure, the session expires instead. */
export async function releaseAfterFailure(tx: Tx, sessionId: string, decisionId: string): Promise<Session> {
  return await ofPayment(tx, sessionId, decisionId)
    .set({
      payment_status: sql<"unpaid" | "none">`case when mode = 'setup' then 'none' else 'unpaid' end`,
      payment_decision_id: null,
      failed_payments: sql<number>`failed_payments + 1`,
      status: sql<
        "open" | "expired"
      >`case when failed_payments + 1 >= ${maxFailedPayments}::integer then 'expired' else 'open' end`,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Releases the session after its decision expired unused. This doesn't count as a failed payment. */
export async function release(tx: Tx, sessionId: string, decisionId: string): Promise<void> {
  await ofPayment(tx, sessionId, decisionId).set({ payment_decision_id: null }).execute();
}

/** Finds the sessions to expire, those whose time has been over for longest first. */
export function findExpired(db: Db, now: Date) {
  return db
    .selectFrom("checkout_session")
    .select(["account_no", "livemode", "id"])
    .where("status", "=", "open")
    .where("payment_decision_id", "is", null)
    .where("expires_at", "<=", now)
    .orderBy("expires_at");
}

/** Expires sessions that {@link findExpired} found. */
export async function expire(tx: Tx, which: Expression<SqlBool>): Promise<Session[]> {
  return await tx.updateTable("checkout_session").set({ status: "expired" }).where(which).returningAll().execute();
}

function ofPayment(tx: Tx, sessionId: string, decisionId: string) {
  return tx
    .updateTable("checkout_session")
    .where(hasId(sessionId))
    .where("status", "=", "open")
    .where("payment_decision_id", "=", decisionId);
}
