/**
 * processing charge -> succeeded or authorized, in the statement that settles its attempt. The session ends, a card to
 * save becomes reusable, and the risk rules learn the outcome, which may refill the bucket of tokens.
 */
import type { PlatformContext } from "../../platform/context.ts";
import { successResponse, type StoredResponse } from "../../platform/idempotency/stored-response.ts";
import type { Row } from "../../platform/storage/tables.ts";
import type { FinalReply } from "../attempts/final-reply.ts";
import { settlement } from "../attempts/settlement.ts";
import { present, savesCard, type Subject } from "../attempts/subject.ts";
import { refilledBucket, refillsBucket } from "../risk/bucket.ts";
import { toCharge, toChargeWithSession, type ChargeColumns, type SessionColumns } from "./charge-object.ts";

const settle = settlement(/* sql */ `
  found_charge as (
    select id, status from charge
    where account_no = :account_no and livemode = :livemode and id = :charge_id::text and exists (select 1 from settled)
    for no key update
  ),
  charge as (
    update charge set status = :charge_status, amount_captured = :amount_captured
    where account_no = :account_no and livemode = :livemode
      and id = (select id from found_charge where status = 'processing')
    returning id
  ),
  found_session as (
    select id, status, payment_decision_id from checkout_session
    where account_no = :account_no and livemode = :livemode and id = :session_id::text and exists (select 1 from settled)
    for no key update
  ),
  session as (
    update checkout_session set status = 'complete', payment_status = :payment_status
    where account_no = :account_no and livemode = :livemode
      and id = (select id from found_session where status = 'open' and payment_decision_id = :decision_id::text)
    returning id
  ),
  saved as (
    update payment_method set reusable = true
    where account_no = :account_no and livemode = :livemode and id = :payment_method_id and :saves_card::boolean
      and card_erased_at is null and detached_at is null and exists (select 1 from settled)
  ),
  card_try as (
    update card_try set outcome = 'approved'
    where account_no = :account_no and livemode = :livemode and decision_id = :decision_id and outcome = 'pending'
      and exists (select 1 from settled)
  ),
  ${refilledBucket},
  -- If the charge or its session isn't in the expected state, the ID is null, and everything is rolled back.
  happened as (
    select case when :session_id is null or session.id is not null then charge.id end as object_id
    from settled left join charge on true left join session on true
  )`);

/** @returns the response to the request that created the attempt, or null if another process settled the attempt first */
export async function approveCharge(
  context: Pick<PlatformContext, "db" | "keys" | "now">,
  attempt: Row<"attempt">,
  subject: Subject,
  reply: FinalReply,
): Promise<StoredResponse | null> {
  const charge = approved(attempt, subject);
  const session = completed(charge, attempt, subject);
  const type = charge.status === "succeeded" ? "payment.succeeded" : "charge.authorized";
  const outcome = {
    reply,
    happening: { type, object: toChargeWithSession(charge, session) },
    response: successResponse(toCharge(charge)),
  } as const;
  return await settle(context, attempt, outcome, {
    decision_id: charge.decision_id,
    charge_id: charge.id,
    charge_status: charge.status,
    amount_captured: charge.amount_captured,
    session_id: charge.session_id,
    payment_status: session?.payment_status ?? null,
    payment_method_id: charge.payment_method_id,
    saves_card: savesCard(subject),
    refills: refillsBucket(subject),
  });
}

/** The charge after the approval. Nothing else changes a charge that is `processing`. */
function approved(attempt: Row<"attempt">, subject: Subject): ChargeColumns {
  const charge = present(attempt, {
    id: attempt.charge_id,
    amount: subject.charge_amount,
    capture_method: subject.capture_method,
    metadata: subject.charge_metadata,
    created_at: subject.charge_created_at,
  });
  const isCaptured = charge.capture_method === "automatic";
  return {
    ...charge,
    livemode: attempt.livemode,
    session_id: subject.session_id,
    payment_method_id: subject.payment_method_id,
    decision_id: attempt.decision_id,
    status: isCaptured ? "succeeded" : "authorized",
    currency: subject.currency,
    amount_captured: isCaptured ? charge.amount : 0,
    amount_refunded: 0,
    pending_operation: null,
    decline_code: null,
  };
}

/** The session after the approval. Nothing else changes a session while its payment is in progress. */
function completed(
  { session_id, status }: ChargeColumns,
  attempt: Row<"attempt">,
  subject: Subject,
): SessionColumns | null {
  if (session_id === null) return null;
  return {
    ...present(attempt, { failed_payments: subject.failed_payments, metadata: subject.session_metadata }),
    id: session_id,
    status: "complete",
    payment_status: status === "succeeded" ? "paid" : "authorized",
  };
}
