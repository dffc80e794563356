/**
 * Starts a refund (`refund-state.ts`). One statement writes the refund and its attempt and reserves the amount. If the
 * refund was requested with an idempotency key, the statement claims the key, too. If another request has the key, or
 * the charge doesn't allow the refund, nothing changes, and `flow/begin-refund.ts` says why.
 *
 * The charge is locked before the key is claimed, so concurrent refunds can't reserve the same amount. A request without
 * a key is refused while another refund is in progress, because it may be a repetition.
 */
import { claimedKey, keyIsClaimed, type KeyValues } from "../../platform/idempotency/idempotency.ts";
import type { Db } from "../../platform/storage/database.ts";
import { statement } from "../../platform/storage/statement.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { withoutCard, type Subject } from "../attempts/subject.ts";

type Started = Pick<
  Subject,
  | "payment_method_id"
  | "currency"
  | "session_id"
  | "acquirer_account_id"
  | "acquirer_merchant_id"
  | "authorization"
  | "authorization_acquirer_id"
  | "refund_created_at"
  | "refund_reason"
> &
  Pick<Row<"attempt">, "decision_id" | "amount">;

const start = statement<Started>(/* sql */ `
  with found as (
    select * from charge where account_no = :account_no and livemode = :livemode and id = :charge_id
    for no key update
  ),
  captured as (
    select id, decision_id, currency,
      coalesce(:amount::bigint, amount_captured - amount_refunded - amount_refunding) as to_refund
    from found
    where status = 'succeeded' and amount_captured - amount_refunded - amount_refunding >= coalesce(:amount, 1)
      and (amount_refunding = 0 or :idempotency_key::text is not null)
  ),
  ${claimedKey("captured")},
  allowed as (select * from captured where ${keyIsClaimed}),
  reserved as (
    -- PostgreSQL first checks the constraints of the row as it was before the lock, when less may have been left.
    update charge set amount_refunding = amount_refunding
      + least((select to_refund from allowed), amount_captured - amount_refunded - amount_refunding)
    where account_no = :account_no and livemode = :livemode and id = (select id from allowed)
    returning id
  ),
  refund as (
    insert into refund (account_no, livemode, id, charge_id, status, amount, currency, reason, created_at)
    select :account_no, :livemode, :refund_id, reserved.id, 'processing', allowed.to_refund, allowed.currency, :reason,
      :created_at
    from reserved cross join allowed
    returning id, charge_id, amount, reason, created_at
  ),
  started as (
    insert into attempt (account_no, livemode, id, kind, decision_id, charge_id, refund_id, amount, status, calls,
      next_call_at, claimed_until, request_id, idempotency_key, created_at)
    select :account_no, :livemode, :attempt_id, 'refund', allowed.decision_id, refund.charge_id, refund.id,
      refund.amount, 'processing', :calls, :created_at, :claimed_until, :request_id, :idempotency_key, :created_at
    from refund cross join allowed
    returning decision_id, amount
  )
  select started.decision_id, started.amount, refund.created_at as refund_created_at, refund.reason as refund_reason,
    decision.payment_method_id, decision.currency, decision.session_id,
    decision.acquirer_account_id, decision.acquirer_merchant_id, approved.id as "authorization",
    approved.acquirer_id as authorization_acquirer_id
  from started cross join refund
  join decision on decision.account_no = :account_no and decision.livemode = :livemode
    and decision.id = (select decision_id from started)
  left join attempt as approved on approved.account_no = :account_no and approved.livemode = :livemode
    and approved.charge_id = :charge_id and approved.kind = 'authorize' and approved.status = 'approved'`);

export interface NewRefund {
  id: string;
  charge_id: string;
  /** If null, everything that is left. */
  amount: number | null;
  reason: string | null;
}

/**
 * @param attempt of `newAttempt`; its cause and its time are also the refund's, and its amount is ignored
 * @returns the attempt and what it is about, or undefined if nothing was changed
 */
export async function startRefund(
  db: Db,
  { id: refund_id, ...refund }: NewRefund,
  attempt: Row<"attempt">,
  key: KeyValues,
): Promise<{ attempt: Row<"attempt">; subject: Subject } | undefined> {
  const [started] = await start(db, { ...key, ...attempt, attempt_id: attempt.id, ...refund, refund_id });
  if (started === undefined) return undefined;
  const { decision_id, amount, ...subject } = started;
  return { attempt: { ...attempt, decision_id, amount }, subject: { ...withoutCard, ...subject } };
}
