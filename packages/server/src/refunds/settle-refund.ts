/** What the bank's answer to a refund changes: the refund, and what its charge has left. */
import type { DeclineCode } from "@oriel/protocol/errors";
import { causeOf } from "../attempts/attempt-state.ts";
import { settleRefundReserve } from "../charges/charge-state.ts";
import { cardDeclined } from "../charges/decline.ts";
import type { Context } from "../context.ts";
import { refusalAnswer, successAnswer, type StoredAnswer } from "../idempotency/stored-answer.ts";
import type { Tx } from "../storage/database.ts";
import type { Row } from "../storage/tables.ts";
import { tenantOf } from "../tenant.ts";
import { recordEvent } from "../webhooks/events.ts";
import { toRefund } from "./refund-object.ts";
import { settle } from "./refund-state.ts";

export async function settleRefund(
  context: Context,
  tx: Tx,
  attempt: Row<"attempt">,
  declineCode: DeclineCode | null,
): Promise<StoredAnswer> {
  if (attempt.refund_id === null) throw new Error("Bug: an attempt to refund without its refund");
  const refund = await settle(tx, attempt.refund_id, declineCode);
  await settleRefundReserve(tx, refund.charge_id, refund.amount, declineCode === null);
  const type = declineCode === null ? "refund.succeeded" : "refund.failed";
  const object = toRefund(refund);
  await recordEvent(context, tx, tenantOf(refund), { type, object }, causeOf(attempt));
  return declineCode === null ? successAnswer(object) : refusalAnswer(cardDeclined(declineCode));
}
