/**
 * processing charge -> succeeded or authorized, in the function that settles its attempt. The session ends, a card to
 * save becomes reusable, a saved card gets the time of its use, and the risk rules learn the outcome, which may refill
 * the bucket of tokens.
 */
import type { PlatformContext } from "../../platform/context.ts";
import { successResponse, type StoredResponse } from "../../platform/idempotency/stored-response.ts";
import type { Row } from "../../platform/storage/tables.ts";
import type { FinalReply } from "../attempts/final-reply.ts";
import { settlement, settleWith } from "../attempts/settlement.ts";
import { present, savesCard, type Subject } from "../attempts/subject.ts";
import { refilledBucket, refillsBucket } from "../risk/bucket.ts";
import { toCharge, toChargeWithSession, type ChargeColumns, type SessionColumns } from "./charge-object.ts";

/** Exported for `stored-functions.ts`. */
export const approve = settlement("approve_charge", {
  takes: {
    charge_id: "text",
    charge_status: "text",
    amount_captured: "bigint",
    session_id: "text",
    payment_status: "text",
    decision_id: "text",
    payment_method_id: "text",
    retains_card: "boolean",
    refills: "boolean",
  },
  declares: "session record;",
  changes: /* sql */ `
    select status into status_before from charge
    where account_no = :account_no and livemode = :livemode and id = :charge_id for no key update;
    if status_before = 'processing' then
      update charge set status = :charge_status, amount_captured = :amount_captured
      where account_no = :account_no and livemode = :livemode and id = :charge_id;
      happened := :charge_id;
    end if;
    if :session_id is not null then
      select status, payment_decision_id into session from checkout_session
      where account_no = :account_no and livemode = :livemode and id = :session_id for no key update;
      if session.status = 'open' and session.payment_decision_id = :decision_id then
        update checkout_session set status = 'complete', payment_status = :payment_status
        where account_no = :account_no and livemode = :livemode and id = :session_id;
      else
        happened := null;
      end if;
    end if;`,
  shared: /* sql */ `
    if :refills then
      ${refilledBucket};
    end if;
    update card_try set outcome = 'approved'
    where account_no = :account_no and livemode = :livemode and decision_id = :decision_id and outcome = 'pending';
    if :retains_card then
      update payment_method set reusable = true, last_used_at = :now
      where account_no = :account_no and livemode = :livemode and id = :payment_method_id and card_erased_at is null
        and detached_at is null;
    end if;`,
});

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
  return await settleWith(approve, context, attempt, outcome, {
    decision_id: charge.decision_id,
    charge_id: charge.id,
    charge_status: charge.status,
    amount_captured: charge.amount_captured,
    session_id: charge.session_id,
    payment_status: session?.payment_status ?? null,
    payment_method_id: charge.payment_method_id,
    // Without a session, the card was saved earlier.
    retains_card: charge.session_id === null || savesCard(subject),
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
    session_version: subject.session_version,
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
