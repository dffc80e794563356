/** Applies the outcome of a refund to the refund and its charge. */
import { causeOf } from "../attempts/attempt-state.ts";
import { settleRefundReserve } from "../charges/charge-state.ts";
import type { PlatformContext } from "../../platform/context.ts";
import type { Tx } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";
import { recordEvent } from "../events/record-event.ts";
import { toRefund } from "../refunds/refund-object.ts";
import { settle } from "../refunds/refund-state.ts";

export async function settleRefund(context: PlatformContext, tx: Tx, attempt: Row<"attempt">): Promise<void> {
  if (attempt.refund_id === null) throw new Error(`Bug: attempt ${attempt.id} has no refund`);
  const refund = await settle(tx, attempt.refund_id, attempt.decline_code);
  const isRefunded = refund.status === "succeeded";
  await settleRefundReserve(tx, refund.charge_id, refund.amount, isRefunded);
  const type = isRefunded ? "refund.succeeded" : "refund.failed";
  await recordEvent(context, tx, tenantOf(refund), { type, object: toRefund(refund) }, causeOf(attempt));
}
