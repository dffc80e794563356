/**
 * The state machine of a checkout session. Every transition is one conditional update: it happens once, whoever races
 * for it, or not at all.
 *
 * ```
 * open, unpaid, free
 *   | claimForPayment            one payment at a time; this is the lock that two tabs race for. Only for a request of this round
 *   v
 * open, unpaid, in flight  --releaseAfterFailure-->  open, unpaid, free      (the customer may try again)
 *   |        |              --releaseAfterFailure-->  expired                 (the fifth failure)
 *   |        +--release-->  open, unpaid, free                                (a decision that nobody used ran out)
 *   | markProcessing         the bank is about to be asked
 *   v
 * open, processing, in flight  --complete-->  complete, paid                  (the money was taken)
 *                              --complete-->  complete, authorized --settleReserved-->  complete, paid | unpaid (captured, or let go)
 * open, none, in flight        --complete-->  complete, none                  (mode setup: a card was saved)
 * open, free  --end-->  expired | canceled                                    (the merchant ends it)
 * open, free  --expireDue-->  expired                                         (its time is over)
 * ```
 * While a payment is in flight a session does not expire: its outcome is not known, and money may move.
 */
import { sql } from "kysely";
import type { Tx } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";

type Session = Row<"checkout_session">;

/** How often a customer may fail in one session. */
const maxFailedPayments = 5;

export function attemptsLeft({ failed_payments }: Pick<Session, "failed_payments">): number {
  return Math.max(0, maxFailedPayments - failed_payments);
}

/** True for the one payment that may now run. @param round of the request that wants it */
export async function claimForPayment(
  tx: Tx,
  sessionId: string,
  decisionId: string,
  round: number,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("checkout_session")
    .set({ payment_decision_id: decisionId })
    .where("id", "=", sessionId)
    .where("status", "=", "open")
    .where("payment_decision_id", "is", null)
    .where("payment_round", "=", round)
    .where("expires_at", ">", now)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Begins the next round: a request of an earlier one that has not claimed the session by now never will. */
export async function beginRound(tx: Tx, sessionId: string): Promise<void> {
  await tx
    .updateTable("checkout_session")
    .set({ payment_round: sql<number>`payment_round + 1` })
    .where("id", "=", sessionId)
    .execute();
}

export async function markProcessing(tx: Tx, sessionId: string, decisionId: string): Promise<Session> {
  const session = ofPayment(tx, sessionId, decisionId).set({ payment_status: "processing" }).returningAll();
  return await session.executeTakeFirstOrThrow(
    () => new Error("Bug: a charge of a session whose payment is not in flight"),
  );
}

/** @param payment_status what there is now: money, money reserved, or a saved card */
export async function complete(
  tx: Tx,
  sessionId: string,
  decisionId: string,
  payment_status: "paid" | "authorized" | "none",
): Promise<Session> {
  return await ofPayment(tx, sessionId, decisionId)
    .set({ status: "complete", payment_status })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** What was reserved for a complete session was taken, or let go. */
export async function settleReserved(
  tx: Tx,
  sessionId: string,
  decisionId: string,
  payment_status: "paid" | "unpaid",
): Promise<Session> {
  return await tx
    .updateTable("checkout_session")
    .set({ payment_status })
    .where("id", "=", sessionId)
    .where("status", "=", "complete")
    .where("payment_status", "=", "authorized")
    .where("payment_decision_id", "=", decisionId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * The merchant ends a session that nobody is paying just now. Undefined if it is over already or a payment is in
 * flight.
 */
export async function end(tx: Tx, sessionId: string, status: "expired" | "canceled"): Promise<Session | undefined> {
  return await tx
    .updateTable("checkout_session")
    .set({ status })
    .where("id", "=", sessionId)
    .where("status", "=", "open")
    .where("payment_decision_id", "is", null)
    .returningAll()
    .executeTakeFirst();
}

/** After the fifth failure the session is over, with `status` expired. */
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

/** Frees the session from a decision that ran out unused; no try was made, so none is counted. */
export async function release(tx: Tx, sessionId: string, decisionId: string): Promise<void> {
  await ofPayment(tx, sessionId, decisionId).set({ payment_decision_id: null }).execute();
}

/** The sessions whose time is over, each handed out once. */
export async function expireDue(tx: Tx, now: Date, limit: number): Promise<Session[]> {
  return await tx
    .updateTable("checkout_session")
    .set({ status: "expired" })
    .where("id", "in", (eb) =>
      eb
        .selectFrom("checkout_session")
        .select("id")
        .where("status", "=", "open")
        .where("payment_decision_id", "is", null)
        .where("expires_at", "<=", now)
        .orderBy("expires_at")
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .execute();
}

function ofPayment(tx: Tx, sessionId: string, decisionId: string) {
  return tx
    .updateTable("checkout_session")
    .where("id", "=", sessionId)
    .where("status", "=", "open")
    .where("payment_decision_id", "=", decisionId);
}
