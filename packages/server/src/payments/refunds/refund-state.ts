/**
 * The state machine of a refund. A charge can be refunded in full or in parts, by any number of refunds.
 *
 * ```
 *   (its amount is reserved on the charge, in the same transaction)
 *        | insertRefund
 *        v
 *   processing --settle (acquirer: approved)--> succeeded
 *              --settle (acquirer: declined)--> failed, and the reserved amount is available again
 * ```
 */
import type { DeclineCode } from "@oriel/protocol/declines";
import { newId } from "../../platform/ids.ts";
import type { Tx } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";
import { hasId } from "../../platform/storage/owned-by.ts";

type Refund = Row<"refund">;

/** @returns the refund's ID */
export async function insertRefund(
  tx: Tx,
  charge: Row<"charge">,
  { amount, reason }: Pick<Refund, "amount" | "reason">,
  now: Date,
): Promise<string> {
  const { account_no, livemode, currency, id: charge_id } = charge;
  const id = newId("re", now, tenantOf(charge));
  await tx
    .insertInto("refund")
    .values({ id, account_no, livemode, charge_id, status: "processing", amount, currency, reason, created_at: now })
    .execute();
  return id;
}

export async function settle(tx: Tx, id: string, declineCode: DeclineCode | null): Promise<Refund> {
  return await tx
    .updateTable("refund")
    .set(declineCode === null ? { status: "succeeded" } : { status: "failed", decline_code: declineCode })
    .where(hasId(id))
    .where("status", "=", "processing")
    .returningAll()
    .executeTakeFirstOrThrow();
}
