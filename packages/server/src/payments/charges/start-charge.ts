/**
 * approved decision -> consumed, with its new charge and the charge's attempt, in one statement. If the charge was
 * requested with an idempotency key, the statement claims the key, too. If another request has the key, or the decision
 * doesn't allow the charge, nothing changes.
 *
 * The decision is locked before the key is claimed, so that of several requests with different keys only one claims
 * anything.
 */
import { claimedKey, keyIsClaimed, type KeyValues } from "../../platform/idempotency/idempotency.ts";
import type { Db } from "../../platform/storage/database.ts";
import { statement } from "../../platform/storage/statement.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { authorizationColumns, type Subject } from "../attempts/subject.ts";
import type { ChargeTerms } from "../decisions/decision-state.ts";

const start = statement<Subject>(/* sql */ `
  with found as (
    select * from decision where account_no = :account_no and livemode = :livemode and id = :decision_id
    for no key update
  ),
  approved as (
    select id, session_id, payment_method_id, currency, acquirer_account_id, acquirer_merchant_id, payer from found
    where status = 'approved' and expires_at > :created_at and payment_method_id = :payment_method_id
      and currency = :currency and amount >= :amount
  ),
  ${claimedKey("approved")},
  allowed as (select * from approved where ${keyIsClaimed}),
  found_session as (
    select id, status, payment_decision_id from checkout_session
    where account_no = :account_no and livemode = :livemode and id = (select session_id from allowed)
    for no key update
  ),
  session as (
    update checkout_session set payment_status = 'processing'
    where account_no = :account_no and livemode = :livemode
      and id = (select id from found_session where status = 'open' and payment_decision_id = :decision_id)
    returning mode, capture_method, save_payment_method, metadata, failed_payments, customer
  ),
  consumed as (
    update decision set status = 'consumed', charge_id = :charge_id
    where account_no = :account_no and livemode = :livemode and id = (select id from allowed)
    returning id
  ),
  charge as (
    insert into charge (account_no, livemode, id, session_id, payment_method_id, decision_id, status, amount, currency,
      capture_method, metadata, created_at)
    -- A charge belongs to a session with a payment in progress. Otherwise the ID is null, and everything is rolled back.
    select :account_no, :livemode, case when allowed.session_id is null or session.mode is not null then :charge_id end,
      allowed.session_id, allowed.payment_method_id, consumed.id, 'processing', :amount, allowed.currency,
      coalesce(:capture_method, session.capture_method, 'automatic'), :metadata, :created_at
    from consumed cross join allowed left join session on true
    returning id, amount, capture_method, metadata, created_at
  ),
  attempt as (
    insert into attempt (account_no, livemode, id, kind, decision_id, charge_id, amount, status, calls,
      next_call_at, claimed_until, request_id, idempotency_key, created_at)
    select :account_no, :livemode, :attempt_id, 'authorize', :decision_id, charge.id, charge.amount, 'processing',
      :calls, :created_at, :claimed_until, :request_id, :idempotency_key, :created_at
    from charge
    returning id
  )
  select ${authorizationColumns}, null as "authorization", null as authorization_acquirer_id,
    null as refund_created_at, null as refund_reason
  from attempt cross join charge cross join allowed as decision left join session on true
  left join authentication on authentication.account_no = :account_no and authentication.livemode = :livemode
    and authentication.decision_id = :decision_id and authentication.is_step_up = false
  left join payment_method on payment_method.account_no = :account_no and payment_method.livemode = :livemode
    and payment_method.id = :payment_method_id`);

export interface NewCharge {
  id: string;
  /** If null, the session's, or `automatic` if there is no session. */
  capture_method: Row<"charge">["capture_method"] | null;
  metadata: Record<string, string>;
}

/**
 * @param attempt of `newAttempt`; its cause and its time are also the charge's
 * @returns what the attempt is about, or undefined if nothing was changed
 */
export async function startCharge(
  db: Db,
  terms: ChargeTerms,
  { id: charge_id, capture_method, metadata }: NewCharge,
  { id: attempt_id, ...attempt }: Row<"attempt">,
  key: KeyValues,
): Promise<Subject | undefined> {
  const charge = { charge_id, capture_method, metadata: JSON.stringify(metadata) };
  return (await start(db, { ...key, ...attempt, attempt_id, ...terms, ...charge }))[0];
}
