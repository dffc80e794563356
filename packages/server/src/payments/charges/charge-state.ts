/**
 * The state machine of a charge. Every transition is one conditional update, so it happens at most once, even with
 * concurrent callers.
 *
 * ```
 * (a decision is consumed)                    (a decision is declined before authorization)
 *        | startCharge                                    | insertFailedCharge
 *        v                                                v
 *   processing --fail--------------------------------> failed
 *        |
 *        +--approveCharge (automatic)-----------------> succeeded
 *        |                                                 ^
 *        |                                                 | capture
 *        +--approveCharge (manual)--> authorized, free --occupy--> authorized, busy --cancel--> canceled
 *                                       ^  |                      |                                ^
 *                                       |  |                      |                                |
 *                                       +--|--------- free -------+  (the acquirer declined)       |
 *                                          +-- endHold (the acquirer no longer knows the hold) ----+
 *
 *   succeeded --failLate (the capture failed after all, and nothing is refunded)--> failed
 *   authorized, busy --failEarly (the same, before we knew that it was captured)--> failed
 *   failed | authorized, free --recover (it was captured after all)--> succeeded
 * ```
 * An `authorized` charge is busy while a capture or a cancellation is in progress, and only that operation may end it.
 * Once the acquirer has accepted the operation, `pending_operation` names it (`recordAccepted`). That can take days.
 * A charge is captured once, in full or in part, and the rest is released. Refunds don't change the status. They
 * reserve their amount in `amount_refunding` before the acquirer is called (`refunds/start-refund.ts`) and then move it
 * to `amount_refunded` (`refunds/settle-refund.ts`). A table constraint prevents refunds of more than `amount_captured`.
 */
import type { DeclineCode } from "@oriel/protocol/declines";
import { newId } from "../../platform/ids.ts";
import type { Tx } from "../../platform/storage/database.ts";
import { hasId, ownedBy } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf, type Tenant } from "../../platform/tenant.ts";

type Charge = Row<"charge">;

/**
 * Inserts the failed charge of a payment that ended before authorization. It has no attempt. `decision` is declined.
 */
export async function insertFailedCharge(tx: Tx, decision: Row<"decision">, now: Date): Promise<Charge> {
  const charge = await tx
    .insertInto("charge")
    .values({
      ...ofDecision(decision, now),
      session_version: await versionOf(tx, decision.session_id),
      id: newId("ch", now, tenantOf(decision)),
      amount: decision.amount,
      capture_method: "automatic",
      status: "failed",
      decline_code: decision.decline_code,
      metadata: "{}",
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await tx.updateTable("decision").set({ charge_id: charge.id }).where(hasId(decision.id)).execute();
  return charge;
}

export async function fail(tx: Tx, id: string, declineCode: DeclineCode): Promise<Charge> {
  return await processing(tx, id)
    .set({ status: "failed", decline_code: declineCode })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Reserves the charge for one capture or cancellation attempt.
 *
 * @returns undefined if the charge isn't `authorized` and free, or is for less than `amount`
 */
export async function occupy(
  tx: Tx,
  tenant: Tenant,
  id: string,
  attemptId: string,
  amount: number | undefined,
): Promise<Charge | undefined> {
  let free = tx
    .updateTable("charge")
    .set({ busy_attempt_id: attemptId })
    .where("id", "=", id)
    .where(ownedBy(tenant))
    .where("status", "=", "authorized")
    .where("busy_attempt_id", "is", null);
  if (amount !== undefined) free = free.where("amount", ">=", amount);
  return await free.returningAll().executeTakeFirst();
}

/** Notes that the acquirer has accepted the operation that the charge is busy with. */
export async function recordAccepted(
  tx: Tx,
  id: string,
  attemptId: string,
  operation: "capture" | "cancel",
): Promise<void> {
  await busyWith(tx, id, attemptId).set({ pending_operation: operation }).returning("id").executeTakeFirstOrThrow();
}

export async function capture(tx: Tx, id: string, attemptId: string, amount: number): Promise<Charge> {
  return await busyWith(tx, id, attemptId)
    .set({ status: "succeeded", amount_captured: amount, ...notBusy })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function cancel(tx: Tx, id: string, attemptId: string): Promise<Charge> {
  return await busyWith(tx, id, attemptId)
    .set({ status: "canceled", ...notBusy })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Frees the charge again after the acquirer declined the capture or cancellation. */
export async function free(tx: Tx, id: string, attemptId: string): Promise<Charge> {
  return await busyWith(tx, id, attemptId).set(notBusy).returningAll().executeTakeFirstOrThrow();
}

/** Cancels the charge because the acquirer no longer knows the hold. Runs in the transaction that freed the charge. */
export async function endHold(tx: Tx, id: string): Promise<Charge> {
  return await tx
    .updateTable("charge")
    .set({ status: "canceled" })
    .where(hasId(id))
    .where("status", "=", "authorized")
    .where("busy_attempt_id", "is", null)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * succeeded -> failed: the money was captured, and came back.
 *
 * @returns undefined if it isn't `succeeded`, or if something was refunded, so that its amounts must stay
 */
export async function failLate(tx: Tx, id: string, declineCode: DeclineCode): Promise<Charge | undefined> {
  return await tx
    .updateTable("charge")
    .set({ status: "failed", decline_code: declineCode, amount_captured: 0 })
    .where(hasId(id))
    .where("status", "=", "succeeded")
    .where("amount_refunded", "=", 0)
    .where("amount_refunding", "=", 0)
    .returningAll()
    .executeTakeFirst();
}

/** authorized -> failed: the money was captured, which we didn't know yet, and came back. So nothing is reserved anymore. */
export async function failEarly(tx: Tx, id: string, attemptId: string, declineCode: DeclineCode): Promise<Charge> {
  return await busyWith(tx, id, attemptId)
    .set({ status: "failed", decline_code: declineCode, ...notBusy })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * failed or authorized -> succeeded: the acquirer has captured the money although the capture had failed.
 *
 * @param id of a charge whose authorization was approved
 * @returns undefined if it's in another state, or busy
 */
export async function recover(tx: Tx, id: string, amount: number): Promise<Charge | undefined> {
  return await tx
    .updateTable("charge")
    .set({ status: "succeeded", decline_code: null, amount_captured: amount })
    .where(hasId(id))
    .where("status", "in", ["failed", "authorized"])
    .where("busy_attempt_id", "is", null)
    .returningAll()
    .executeTakeFirst();
}

const notBusy = { busy_attempt_id: null, pending_operation: null };

function processing(tx: Tx, id: string) {
  return tx.updateTable("charge").where(hasId(id)).where("status", "=", "processing");
}

function busyWith(tx: Tx, id: string, attemptId: string) {
  return tx
    .updateTable("charge")
    .where(hasId(id))
    .where("status", "=", "authorized")
    .where("busy_attempt_id", "=", attemptId);
}

/** The version of the session that the payment in progress is for. */
async function versionOf(tx: Tx, sessionId: string | null): Promise<number | null> {
  if (sessionId === null) return null;
  const session = tx.selectFrom("checkout_session").select("version").where(hasId(sessionId));
  return (await session.executeTakeFirstOrThrow()).version;
}

function ofDecision(decision: Row<"decision">, now: Date) {
  const { account_no, livemode, session_id, payment_method_id, currency } = decision;
  return { account_no, livemode, session_id, payment_method_id, currency, decision_id: decision.id, created_at: now };
}
