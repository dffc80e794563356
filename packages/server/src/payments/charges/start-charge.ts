/**
 * approved decision -> consumed, with its new charge and the charge's attempt, in one function. If the charge was
 * requested with an idempotency key, the function claims the key, too. If another request has the key, or the decision
 * doesn't allow the charge, nothing changes.
 *
 * The decision is locked before the key is claimed, so that of several requests with different keys only one claims
 * anything.
 */
import { claimedKey, keyArguments, type KeyValues } from "../../platform/idempotency/idempotency.ts";
import type { Db } from "../../platform/storage/database.ts";
import { storedFunction } from "../../platform/storage/stored-function.ts";
import type { Row } from "../../platform/storage/tables.ts";
import type { Subject } from "../attempts/subject.ts";
import type { ChargeTerms } from "../decisions/decision-state.ts";

type Started = Omit<
  Subject,
  | "charge_amount"
  | "charge_created_at"
  | "authorization"
  | "authorization_acquirer_id"
  | "refund_created_at"
  | "refund_reason"
>;

/** Exported for `stored-functions.ts`. */
export const start = storedFunction<Started>("start_charge", {
  takes: {
    account_no: "bigint",
    livemode: "boolean",
    decision_id: "text",
    payment_method_id: "text",
    amount: "bigint",
    currency: "text",
    ...keyArguments,
    charge_id: "text",
    capture_method: "text",
    metadata: "jsonb",
    attempt_id: "text",
    calls: "integer",
    claimed_until: "timestamptz",
    request_id: "text",
    idempotency_key: "text",
    created_at: "timestamptz",
  },
  returns: /* sql */ `
    payment_method_id text, currency text, session_id text, acquirer_account_id text, acquirer_merchant_id text,
    payer text, session_version integer, network text, billing_details jsonb, customer jsonb, session_mode text, session_metadata jsonb,
    save_payment_method boolean, failed_payments integer, browser_ip text, version text, flow text, trans_status text,
    result text, eci text, authentication_value text, ds_trans_id text, charge_metadata jsonb, capture_method text`,
  declares: "decided record; session record; stored record; proof record; capture text;",
  steps: /* sql */ `
    select session_id, payment_method_id, currency, acquirer_account_id, acquirer_merchant_id, payer, status, expires_at,
      amount into decided
    from decision where account_no = :account_no and livemode = :livemode and id = :decision_id for no key update;
    if (decided.status = 'approved' and decided.expires_at > :created_at and decided.currency = :currency
      and decided.payment_method_id = :payment_method_id and decided.amount >= :amount) is not true then
      return;
    end if;
    ${claimedKey}

    select mode, capture_method, save_payment_method, metadata, failed_payments, customer, status, payment_decision_id,
      version into session
    from checkout_session
    where account_no = :account_no and livemode = :livemode and id = decided.session_id for no key update;
    if session.status = 'open' and session.payment_decision_id = :decision_id then
      update checkout_session set payment_status = 'processing'
      where account_no = :account_no and livemode = :livemode and id = decided.session_id;
    elsif decided.session_id is not null then
      raise 'the session of decision % has no payment in progress', :decision_id;
    end if;
    update decision set status = 'consumed', charge_id = :charge_id
    where account_no = :account_no and livemode = :livemode and id = :decision_id;
    capture := coalesce(:capture_method, session.capture_method, 'automatic');
    insert into charge (account_no, livemode, id, session_id, payment_method_id, decision_id, status, amount, currency,
      capture_method, metadata, session_version, created_at)
    values (:account_no, :livemode, :charge_id, decided.session_id, decided.payment_method_id, :decision_id,
      'processing', :amount, decided.currency, capture, :metadata, session.version, :created_at);
    insert into attempt (account_no, livemode, id, kind, decision_id, charge_id, amount, status, calls, next_call_at,
      claimed_until, request_id, idempotency_key, created_at)
    values (:account_no, :livemode, :attempt_id, 'authorize', :decision_id, :charge_id, :amount, 'processing', :calls,
      :created_at, :claimed_until, :request_id, :idempotency_key, :created_at);

    select browser_ip, version, flow, trans_status, result, eci, authentication_value, ds_trans_id into proof
    from authentication
    where account_no = :account_no and livemode = :livemode and decision_id = :decision_id and is_step_up = false;
    -- Test payment methods have no row.
    select network, billing_details into stored
    from payment_method where account_no = :account_no and livemode = :livemode and id = :payment_method_id;
    return query select decided.payment_method_id, decided.currency, decided.session_id, decided.acquirer_account_id,
      decided.acquirer_merchant_id, decided.payer, session.version, stored.network, stored.billing_details, session.customer, session.mode,
      session.metadata, session.save_payment_method, session.failed_payments, proof.browser_ip, proof.version,
      proof.flow, proof.trans_status, proof.result, proof.eci, proof.authentication_value, proof.ds_trans_id, :metadata,
      capture;`,
});

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
  const [started] = await start(db, { ...key, ...attempt, attempt_id, ...terms, ...charge });
  return (
    started && {
      ...started,
      charge_amount: attempt.amount,
      charge_created_at: attempt.created_at,
      authorization: null,
      authorization_acquirer_id: null,
      refund_created_at: null,
      refund_reason: null,
    }
  );
}
