/**
 * processing or pending refund -> succeeded or failed, in the statement that settles its attempt. The amount that was
 * reserved on the charge is refunded or available again.
 */
import type { PlatformContext } from "../../platform/context.ts";
import { refusalResponse, successResponse, type StoredResponse } from "../../platform/idempotency/stored-response.ts";
import type { Row } from "../../platform/storage/tables.ts";
import type { FinalReply } from "../attempts/final-reply.ts";
import { settlement } from "../attempts/settlement.ts";
import { present, type Subject } from "../attempts/subject.ts";
import { cardDeclined, refundMessage } from "../charges/decline.ts";
import { toRefund } from "./refund-object.ts";

const settle = settlement(/* sql */ `
  refund as (
    update refund set status = :refund_status, decline_code = :decline_code
    where account_no = :account_no and livemode = :livemode and id = :refund_id::text
      and status in ('processing', 'pending')
      and exists (select 1 from settled)
    returning charge_id, amount
  ),
  charge as (
    update charge set amount_refunding = amount_refunding - (select amount from refund), amount_refunded = amount_refunded
      + case when :refund_status = 'succeeded' then (select amount from refund) else 0 end
    where account_no = :account_no and livemode = :livemode and id = (select charge_id from refund)
    returning id
  ),
  -- If the refund or its charge isn't in the expected state, the ID is null, and everything is rolled back.
  happened as (
    select case when charge.id is not null then :refund_id end as object_id from settled left join charge on true
  )`);

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
  return await settle(context, attempt, outcome, { refund_id: refund.id, refund_status: status });
}
