/**
 * Starts a refund (`refund-state.ts`). One function writes the refund and its attempt and reserves the amount. If the
 * refund was requested with an idempotency key, the function claims the key, too. If another request has the key, or
 * the charge doesn't allow the refund, nothing changes, and `flow/begin-refund.ts` says why.
 *
 * The charge is locked before the key is claimed, so concurrent refunds can't reserve the same amount. A request without
 * a key is refused while another refund is in progress, because it may be a repetition.
 */
import { claimedKey, keyArguments, type KeyValues } from "../../platform/idempotency/idempotency.ts";
import type { Db } from "../../platform/storage/database.ts";
import { storedFunction } from "../../platform/storage/stored-function.ts";
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

/** Exported for `stored-functions.ts`. */
export const start = storedFunction<Started>("start_refund", {
  takes: {
    account_no: "bigint",
    livemode: "boolean",
    charge_id: "text",
    amount: "bigint",
    ...keyArguments,
    refund_id: "text",
    reason: "text",
    attempt_id: "text",
    calls: "integer",
    claimed_until: "timestamptz",
    request_id: "text",
    idempotency_key: "text",
    created_at: "timestamptz",
  },
  returns: /* sql */ `
    decision_id text, amount bigint, refund_created_at timestamptz, refund_reason text, payment_method_id text,
    currency text, session_id text, acquirer_account_id text, acquirer_merchant_id text, "authorization" text,
    authorization_acquirer_id text`,
  declares: "paid record; left_over bigint; to_refund bigint; decided record; original record;",
  steps: /* sql */ `
    select status, decision_id, currency, amount_captured, amount_refunded, amount_refunding into paid
    from charge where account_no = :account_no and livemode = :livemode and id = :charge_id for no key update;
    left_over := paid.amount_captured - paid.amount_refunded - paid.amount_refunding;
    if (paid.status = 'succeeded' and left_over >= coalesce(:amount, 1)
      and (paid.amount_refunding = 0 or :idempotency_key is not null)) is not true then
      return;
    end if;
    ${claimedKey}

    to_refund := coalesce(:amount, left_over);
    update charge set amount_refunding = amount_refunding + to_refund
    where account_no = :account_no and livemode = :livemode and id = :charge_id;
    insert into refund (account_no, livemode, id, charge_id, status, amount, currency, reason, created_at)
    values (:account_no, :livemode, :refund_id, :charge_id, 'processing', to_refund, paid.currency, :reason, :created_at);
    insert into attempt (account_no, livemode, id, kind, decision_id, charge_id, refund_id, amount, status, calls,
      next_call_at, claimed_until, request_id, idempotency_key, created_at)
    values (:account_no, :livemode, :attempt_id, 'refund', paid.decision_id, :charge_id, :refund_id, to_refund,
      'processing', :calls, :created_at, :claimed_until, :request_id, :idempotency_key, :created_at);

    select payment_method_id, currency, session_id, acquirer_account_id, acquirer_merchant_id into decided
    from decision where account_no = :account_no and livemode = :livemode and id = paid.decision_id;
    select id, acquirer_id into original from attempt
    where account_no = :account_no and livemode = :livemode and charge_id = :charge_id and kind = 'authorize'
      and status = 'approved';
    return query select paid.decision_id, to_refund, :created_at, :reason, decided.payment_method_id, decided.currency,
      decided.session_id, decided.acquirer_account_id, decided.acquirer_merchant_id, original.id, original.acquirer_id;`,
});

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
