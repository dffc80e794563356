/**
 * Checkout sessions, cards, decisions, charges and refunds. All are owned by an account and a mode, and every key starts
 * with these two. So a row can only refer to rows with the same owner.
 *
 * - A `checkout_session` has at most one payment in flight. While the session is open, `payment_decision_id` is that
 *   payment's decision, claimed by one conditional update of the session's row. It remains after a successful payment. A
 *   session with a total of 0 can be complete without one (`zero-totals.ts`). A session whose mode is `setup` saves a card
 *   without charging it. Payment requests of an earlier `payment_round` can no longer start a payment. Null in `locale` and
 *   `appearance` leaves them to the browser and the merchant's page.
 * - A `payment_method` is the token of a stored card, with the card details that may be known outside the vault. It is
 *   `reusable` from when its payment succeeds until it is detached, which is final. `network` is the one the customer
 *   chose if the card has two, and all payments with the card use it. Billing details are erased with the card.
 * - A `decision` allows a single charge. The charge consumes it in the transaction that creates the charge. It keeps the
 *   account's acquirer merchant ID at the time it was made. `request_id` is the checkout page's ID of the request that
 *   started the payment. Test payment methods have no row, so `payment_method_id` isn't a foreign key.
 * - An `authentication` is one run of 3-D Secure for a decision; its ID is the threeDSServerTransID. In `awaiting_result`
 *   it has ended in the browser, and waits a few seconds for the issuer's result. A `decoupled` one waits for the customer
 *   to approve in the issuer's app. `asked` says how the issuer authenticated the customer; null: without asking. The
 *   browser's version of the result (`browser_hint`) never decides the outcome. `result` is written once. `rreq_digest`
 *   identifies the issuer's result, to tell a repeated message from a different one. A result that arrives after the end
 *   is stored as `late_result` and has no effect. Step-up: if the issuer declines for lack of authentication, the
 *   decision gets a second authentication and a second authorization, at most once.
 * - A `charge` is an attempt to pay. While it is captured or canceled, `busy_attempt_id` names that attempt, which serves
 *   as a lock. A `refund` reserves its amount in `charge.amount_refunding` before the acquirer is called, so that
 *   concurrent refunds can't exceed the charge.
 * - An `attempt` is a message to the acquirer, and its ID is the idempotency key there. It is written in one transaction
 *   with what it is for, before the acquirer is called, and completed in another one after it responds. It is the
 *   recovery point of the request's own idempotency key. `asking_until` is the lease of the process that is calling the
 *   acquirer. From `withdrawn_at` on, an authorization is no longer sent (`payments/attempts/send-limits.ts`).
 *
 * `plain-column-names.ts` renames some of these columns.
 *
 * The index for listing charges also contains the columns that the dashboard's overview counts, which can then read a
 * hundred thousand charges without their rows. Charges that aren't simply paid are few, and have separate indexes.
 */
export const payments = /* sql */ `
  create table checkout_session (
    account_no          bigint not null references account,
    livemode            boolean not null,
    id                  text not null,
    client_secret_hash  bytea not null,
    status              text not null check (status in ('open', 'complete', 'expired', 'canceled')),
    payment_status      text not null check (payment_status in ('unpaid', 'processing', 'authorized', 'paid', 'none')),
    mode                text not null check (mode in ('payment', 'setup')),
    amount              bigint check (amount > 0),
    currency            text,
    capture_method      text not null check (capture_method in ('automatic', 'manual')),
    save_payment_method boolean not null,
    submit_button       text not null default 'built-in' check (submit_button in ('built-in', 'merchant')),
    locale              text,
    appearance          jsonb,
    line_items          jsonb not null,
    confirmation        text not null check (confirmation in ('automatic', 'server')),
    allowed_origins     text[] not null,
    return_url          text,
    cancel_url          text,
    description         text,
    customer            jsonb,
    metadata            jsonb not null,
    failed_payments     integer not null default 0,
    payment_decision_id text,
    payment_round       integer not null default 0,
    expires_at          timestamptz not null,
    created_at          timestamptz not null,
    primary key (account_no, livemode, id),
    check (mode = 'setup' or (amount is not null and currency is not null)),
    check (status <> 'complete' or (payment_decision_id is not null and payment_status <> 'processing'))
  );
  create index on checkout_session (expires_at) where status = 'open';

  create table payment_method (
    account_no      bigint not null,
    livemode        boolean not null,
    id              text not null,
    session_id      text not null,
    brand           text not null,
    last4           text not null,
    exp_month       integer not null,
    exp_year        integer not null,
    network         text check (network in
      ('visa', 'mastercard', 'maestro', 'cartes_bancaires', 'bancontact', 'dankort', 'eftpos_australia')),
    billing_details jsonb,
    fingerprint     bytea,
    reusable        boolean not null default false,
    detached_at     timestamptz,
    card_erased_at  timestamptz,
    created_at      timestamptz not null,
    primary key (account_no, livemode, id),
    foreign key (account_no, livemode, session_id) references checkout_session,
    check (not (reusable and (detached_at is not null or card_erased_at is not null))),
    check (card_erased_at is null or billing_details is null)
  );
  create index on payment_method (account_no, livemode, session_id);
  create index payment_method_by_last4 on payment_method (account_no, livemode, last4, id);
  create index payment_method_saved on payment_method (account_no, livemode, id) where reusable;
  create index payment_method_card_to_erase on payment_method (created_at) where card_erased_at is null and not reusable;

  create table decision (
    account_no           bigint not null references account,
    livemode             boolean not null,
    id                   text not null,
    session_id           text,
    payment_method_id    text not null,
    status               text not null check (status in ('requires_action', 'approved', 'declined', 'expired', 'consumed')),
    amount               bigint not null check (amount >= 0),
    currency             text not null,
    risk_level           text not null,
    risk_reasons         text[] not null,
    three_ds_result      text,
    three_ds_version     text,
    eci                  text,
    decline_code         text,
    cardholder_info      text,
    charge_id            text,
    acquirer_merchant_id text,
    request_id           uuid,
    expires_at           timestamptz not null,
    created_at           timestamptz not null,
    primary key (account_no, livemode, id),
    foreign key (account_no, livemode, session_id) references checkout_session,
    check (status <> 'declined' or decline_code is not null),
    check (status <> 'consumed' or charge_id is not null or amount = 0)
  );
  create index on decision (account_no, livemode, session_id) where session_id is not null;
  create index decision_by_payment_method on decision (account_no, livemode, payment_method_id, id);
  create index on decision (expires_at) where status in ('requires_action', 'approved');

  create table authentication (
    account_no            bigint not null,
    livemode              boolean not null,
    id                    text not null,
    decision_id           text not null,
    is_step_up            boolean not null default false,
    status                text not null
      check (status in ('method', 'authenticating', 'challenge', 'awaiting_result', 'decoupled', 'complete')),
    version               text not null,
    method_url            text,
    method_notified       boolean not null default false,
    method_id             text,
    browser               jsonb not null,
    browser_accept        text,
    browser_user_agent    text not null,
    browser_ip            text not null,
    challenge_window_size text not null,
    asked                 text check (asked in ('challenge', 'decoupled')),
    acs_url               text,
    acs_trans_id          text,
    ds_trans_id           text,
    trans_status          text,
    trans_status_reason   text,
    challenge_cancel      text,
    eci                   text,
    authentication_value  text,
    cardholder_info       text,
    browser_hint          text,
    rreq_digest           bytea,
    late_result           jsonb,
    result                text,
    result_asked_at       timestamptz,
    deadline              timestamptz not null,
    created_at            timestamptz not null,
    primary key (account_no, livemode, id),
    foreign key (account_no, livemode, decision_id) references decision,
    foreign key (account_no, livemode, method_id) references authentication,
    unique (account_no, livemode, decision_id, is_step_up),
    check ((status = 'complete') = (result is not null)),
    check (status not in ('challenge', 'awaiting_result', 'decoupled') or asked is not null),
    check (late_result is null or (status = 'complete' and rreq_digest is not null))
  );
  create index on authentication (deadline) where status <> 'complete';

  create table charge (
    account_no        bigint not null,
    livemode          boolean not null,
    id                text not null,
    session_id        text,
    payment_method_id text not null,
    decision_id       text not null,
    status            text not null check (status in ('processing', 'authorized', 'succeeded', 'failed', 'canceled')),
    amount            bigint not null check (amount > 0),
    currency          text not null,
    amount_captured   bigint not null default 0,
    amount_refunded   bigint not null default 0,
    amount_refunding  bigint not null default 0 check (amount_refunding >= 0),
    capture_method    text not null check (capture_method in ('automatic', 'manual')),
    busy_attempt_id   text,
    decline_code      text,
    metadata          jsonb not null,
    created_at        timestamptz not null,
    constraint charge_by_account primary key (account_no, livemode, id)
      include (currency, status, decline_code, amount_captured, created_at),
    foreign key (account_no, livemode, session_id) references checkout_session,
    foreign key (account_no, livemode, decision_id) references decision,
    unique (account_no, livemode, decision_id),
    check (amount_captured <= amount and (amount_captured > 0) = (status = 'succeeded')),
    check (amount_refunded >= 0 and amount_refunded + amount_refunding <= amount_captured),
    check (status <> 'failed' or decline_code is not null),
    check (busy_attempt_id is null or status = 'authorized')
  );
  create index on charge (account_no, livemode, session_id) where session_id is not null;
  create unique index charge_one_success_per_session on charge (account_no, livemode, session_id)
    where status in ('processing', 'authorized', 'succeeded');
  create index charge_by_amount on charge (account_no, livemode, amount, id);
  create index charge_not_simply_paid on charge (account_no, livemode, status, id) where status <> 'succeeded';
  create index charge_declined on charge (account_no, livemode, decline_code, id) where decline_code is not null;

  create table refund (
    account_no   bigint not null,
    livemode     boolean not null,
    id           text not null,
    charge_id    text not null,
    status       text not null check (status in ('processing', 'succeeded', 'failed')),
    amount       bigint not null check (amount > 0),
    currency     text not null,
    reason       text,
    decline_code text,
    created_at   timestamptz not null,
    primary key (account_no, livemode, id),
    foreign key (account_no, livemode, charge_id) references charge,
    check ((status = 'failed') = (decline_code is not null))
  );
  create index on refund (account_no, livemode, charge_id);

  create table attempt (
    account_no      bigint not null,
    livemode        boolean not null,
    id              text not null,
    kind            text not null check (kind in ('authorize', 'verify', 'capture', 'cancel', 'refund')),
    decision_id     text not null,
    is_step_up      boolean not null default false,
    charge_id       text,
    refund_id       text,
    amount          bigint not null check (amount >= 0),
    status          text not null check (status in ('processing', 'approved', 'declined')),
    times_asked     integer not null default 0,
    next_ask_at     timestamptz not null,
    asking_until    timestamptz,
    request_id      text,
    idempotency_key text,
    decline_code    text,
    withdrawn_at    timestamptz,
    created_at      timestamptz not null,
    finished_at     timestamptz,
    primary key (account_no, livemode, id),
    foreign key (account_no, livemode, decision_id) references decision,
    foreign key (account_no, livemode, charge_id) references charge,
    foreign key (account_no, livemode, refund_id) references refund,
    check ((kind = 'verify') = (charge_id is null)),
    check ((kind = 'refund') = (refund_id is not null)),
    check (not is_step_up or kind in ('authorize', 'verify'))
  );
  create index on attempt (account_no, livemode, charge_id) where charge_id is not null;
  create unique index attempt_one_per_decision on attempt (account_no, livemode, decision_id, is_step_up)
    where kind in ('authorize', 'verify');
  create unique index attempt_one_per_refund on attempt (account_no, livemode, refund_id) where refund_id is not null;
  create index on attempt (next_ask_at) where status = 'processing';
`;
