/**
 * processing or pending refund -> succeeded or failed, in the function that settles its attempt. The amount that was
 * reserved on the charge is refunded or available again.
 */
import type { PlatformContext } from "../../platform/context.ts";
import { refusalResponse, successResponse, type StoredResponse } from "../../platform/idempotency/stored-response.ts";
import type { Row } from "../../platform/storage/tables.ts";
import type { FinalReply } from "../attempts/final-reply.ts";
import { settlement, settleWith } from "../attempts/settlement.ts";
import { present, type Subject } from "../attempts/subject.ts";
import { cardDeclined, refundMessage } from "../charges/decline.ts";
import { toRefund } from "./refund-object.ts";

/** Exported for `stored-functions.ts`. */
export const settle = settlement("settle_refund", {
  takes: { refund_id: "text", refund_status: "text" },
  declares: "refunded record;",
  changes: /* sql */ `
    update refund set status = :refund_status, decline_code = :decline_code
    where account_no = :account_no and livemode = :livemode and id = :refund_id and status in ('processing', 'pending')
    returning charge_id, amount into refunded;
    update charge set amount_refunding = amount_refunding - refunded.amount,
      amount_refunded = amount_refunded + case when :refund_status = 'succeeded' then refunded.amount else 0 end
    where account_no = :account_no and livemode = :livemode and id = refunded.charge_id;
    if found then happened := :refund_id; end if;`,
});

/** @returns the response to the request that created the attempt, or null if another process settled the attempt first */
export async function settleRefund(
  context: Pick<PlatformContext, "db" | "keys" | "now">,
  attempt: Row<"attempt">,
  subject: Subject,
  reply: FinalReply,
): Promise<StoredResponse | null> {
  const { declineCode } = reply;
  const refund = present(attempt, {
    id: attempt.refund_id,
    charge_id: attempt.charge_id,
    created_at: subject.refund_created_at,
  });
  const status = declineCode === null ? "succeeded" : "failed";
  const object = toRefund({
    ...refund,
    livemode: attempt.livemode,
    status,
    amount: attempt.amount,
    currency: subject.currency,
    reason: subject.refund_reason,
    decline_code: declineCode,
  });
  const response =
    declineCode === null ? successResponse(object) : refusalResponse(cardDeclined(declineCode, refundMessage));
  const outcome = { reply, happening: { type: `refund.${status}`, object }, response } as const;
  return await settleWith(settle, context, attempt, outcome, { refund_id: refund.id, refund_status: status });
}
