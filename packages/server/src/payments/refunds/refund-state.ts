/**
 * The state machine of a refund. A charge can be refunded in full or in parts, by any number of refunds.
 *
 * ```
 *   (its amount is reserved on the charge, in the same statement)
 *        | startRefund
 *        v
 *   processing --accept--> pending     (the acquirer accepted it, and a notification has the outcome)
 *        |                    |
 *        +-----------+--------+
 *                    |
 *                    +--settleRefund (approved)--> succeeded --failLate (the money came back)--> failed
 *                    +--settleRefund (declined)--> failed --recover (it was done after all)--> succeeded
 * ```
 * When a refund fails, its amount is available again. It recovers only if nothing else has used that amount meanwhile.
 */
import { sql } from "kysely";
import type { DeclineCode } from "@oriel/protocol/declines";
import type { Tx } from "../../platform/storage/database.ts";
import { hasId } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";

/** processing -> pending */
export async function accept(tx: Tx, id: string): Promise<Row<"refund">> {
  return await tx
    .updateTable("refund")
    .set({ status: "pending" })
    .where(hasId(id))
    .where("status", "=", "processing")
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** succeeded -> failed. @returns undefined if it has failed before */
export async function failLate(tx: Tx, id: string, declineCode: DeclineCode): Promise<Row<"refund"> | undefined> {
  const failed = await tx
    .updateTable("refund")
    .set({ status: "failed", decline_code: declineCode })
    .where(hasId(id))
    .where("status", "=", "succeeded")
    .returningAll()
    .executeTakeFirst();
  if (failed === undefined) return undefined;
  await tx
    .updateTable("charge")
    .set({ amount_refunded: sql<number>`amount_refunded - ${failed.amount}` })
    .where(hasId(failed.charge_id))
    .execute();
  return failed;
}

/** failed -> succeeded. @returns undefined if it hasn't failed, or if the charge has less left than its amount */
export async function recover(tx: Tx, id: string): Promise<Row<"refund"> | undefined> {
  const refunds = tx.selectFrom("refund").selectAll().where(hasId(id)).where("status", "=", "failed");
  const failed = await refunds.forNoKeyUpdate().executeTakeFirst();
  if (failed === undefined) return undefined;
  const refunded = await tx
    .updateTable("charge")
    .set({ amount_refunded: sql<number>`amount_refunded + ${failed.amount}` })
    .where(hasId(failed.charge_id))
    .where(sql<number>`amount_captured - amount_refunded - amount_refunding`, ">=", failed.amount)
    .returning("id")
    .executeTakeFirst();
  if (refunded === undefined) return undefined;
  const recovered = tx.updateTable("refund").set({ status: "succeeded", decline_code: null }).where(hasId(id));
  return await recovered.returningAll().executeTakeFirstOrThrow();
}
