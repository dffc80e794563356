/**
 * processing refund -> succeeded or failed, in one statement with everything that follows: the attempt ends, the amount
 * that was reserved on the charge is refunded or available again, the event and its deliveries are recorded, and the
 * response of the request that created the attempt is stored. If another process has settled the attempt, nothing
 * changes.
 */
import type { DeclineCode } from "@oriel/protocol/declines";
import { causeOf } from "../attempts/attempt-state.ts";
import type { Subject } from "../attempts/subject.ts";
import { cardDeclined } from "../charges/decline.ts";
import { announceEvent, eventValues, recordedEvent } from "../events/record-event.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { outcomeValues, storedOutcome } from "../../platform/idempotency/idempotency.ts";
import { refusalAnswer, successAnswer, type StoredResponse } from "../../platform/idempotency/stored-response.ts";
import { statement } from "../../platform/storage/statement.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";
import { toRefund } from "./refund-object.ts";

const settle = statement<{ settled: number; delivered: number }>(`
  with found as (
    select id, status from attempt
    where account_no = :account_no::bigint and livemode = :livemode::boolean and id = :attempt_id::text
    for no key update
  ),
  settled as (
    update attempt set status = :attempt_status, decline_code = :decline_code, finished_at = :now::timestamptz,
      asking_until = null
    where account_no = :account_no and livemode = :livemode
      and id = (select id from found where status = 'processing')
    returning id
  ),
  refund as (
    update refund set status = :refund_status, decline_code = :decline_code
    where account_no = :account_no and livemode = :livemode and id = :refund_id::text and status = 'processing'
      and exists (select from settled)
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
  ),
  ${recordedEvent},
  ${storedOutcome}
  select (select count(*) from settled) as settled, (select count(*) from delivered) as delivered`);

/** @returns the response to the request that created the attempt, or null if another process settled the attempt first */
export async function settleRefund(
  context: Pick<PlatformContext, "db" | "keys" | "now">,
  attempt: Row<"attempt">,
  subject: Subject,
  declineCode: DeclineCode | null,
): Promise<StoredResponse | null> {
  const { livemode, amount, refund_id, charge_id } = attempt;
  const { currency, refund_reason, refund_created_at } = subject;
  if (refund_id === null || charge_id === null || refund_created_at === null)
    throw new Error(`Bug: attempt ${attempt.id} has no refund`);
  const status = declineCode === null ? "succeeded" : "failed";
  const object = toRefund({
    id: refund_id,
    livemode,
    charge_id,
    status,
    amount,
    currency,
    reason: refund_reason,
    decline_code: declineCode,
    created_at: refund_created_at,
  });
  const answer = declineCode === null ? successAnswer(object) : refusalAnswer(cardDeclined(declineCode));
  const happening = { type: `refund.${status}`, object } as const;
  const { db } = context;
  const [result] = await settle(db, {
    ...outcomeValues(context, attempt, answer),
    ...eventValues(tenantOf(attempt), happening, causeOf(attempt), context.now()),
    attempt_status: declineCode === null ? "approved" : "declined",
    refund_status: status,
    decline_code: declineCode,
    refund_id,
  });
  if (result?.settled !== 1) return null;
  announceEvent(db, result.delivered);
  return answer;
}
