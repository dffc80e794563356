/** The two ways a charge comes to be: under way, with a bank to ask, or failed before the bank was asked. */
import { newId } from "../ids.ts";
import type { Cause } from "../context.ts";
import type { Tx } from "../storage/database.ts";
import type { Row } from "../storage/tables.ts";

/** A charge that consumes `decision`. @param amount at most the decision's */
export async function insertCharge(
  tx: Tx,
  decision: Row<"decision">,
  charge: { id: string; amount: number; metadata: Record<string, string> },
  cause: Cause,
  now: Date,
): Promise<void> {
  await tx
    .insertInto("charge")
    .values({
      ...ofDecision(decision, cause, now),
      id: charge.id,
      amount: charge.amount,
      status: "processing",
      metadata: JSON.stringify(charge.metadata),
    })
    .execute();
}

/** A try that ended before the bank was asked for money: a charge without an attempt. `decision` is declined. */
export async function insertFailedCharge(tx: Tx, decision: Row<"decision">, cause: Cause, now: Date): Promise<Row<"charge">> {
  const charge = await tx
    .insertInto("charge")
    .values({
      ...ofDecision(decision, cause, now),
      id: newId("ch", now),
      amount: decision.amount,
      status: "failed",
      decline_code: decision.decline_code,
      metadata: "{}",
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await tx.updateTable("decision").set({ charge_id: charge.id }).where("id", "=", decision.id).execute();
  return charge;
}

function ofDecision(decision: Row<"decision">, { requestId, idempotencyKey }: Cause, now: Date) {
  const { account_id, livemode, session_id, payment_method_id, currency } = decision;
  return {
    account_id,
    livemode,
    session_id,
    payment_method_id,
    currency,
    decision_id: decision.id,
    request_id: requestId,
    idempotency_key: idempotencyKey,
    created_at: now,
  };
}
