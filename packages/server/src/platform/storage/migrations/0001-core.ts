/**
 * The first tables.
 *
 * - An `account` is a merchant. Every table below contains its ID and a mode, and every query filters by both.
 * - A `checkout_session` has at most one payment in flight. While the session is open, `payment_decision_id` is that
 *   payment's decision, claimed by one conditional update of the session's row. It remains after a successful payment.
 * - A `payment_method` is the token of a stored card, with the card details that may be known outside the vault.
 * - A `decision` allows a single charge. The charge consumes it in the transaction that creates the charge.
 * - An `authentication` is one run of 3-D Secure for a decision. Its `result` is written once.
 * - A `charge` is an attempt to pay. An `attempt` is a message to the acquirer, and its ID is the idempotency key
 *   there. Both are written in one transaction before the acquirer is called, and completed in another one after it
 *   responds.
 * - An `event` is something that happened. A `delivery` sends one event to one endpoint, and is committed with the
 *   event.
 * - An `idempotency_key` remembers the response to a request for 24 hours. `charge_id` is its recovery point.
 */
export const core = `
  create table account (
    id              text primary key,
    name            text not null,
    allowed_origins text[] not null default '{}',
    created_at      timestamptz not null
  );

  create table api_key (
    id           text primary key,
    account_id   text not null references account,
    livemode     boolean not null,
    hash         bytea not null unique,
    last4        text not null,
    created_at   timestamptz not null,
    last_used_at timestamptz,
    revoked_at   timestamptz
  );

  create table checkout_session (
    id                  text primary key,
    account_id          text not null references account,
    livemode            boolean not null,
    client_secret_hash  bytea not null,
    status              text not null check (status in ('open', 'complete', 'expired', 'canceled')),
    payment_status      text not null check (payment_status in ('unpaid', 'processing', 'authorized', 'paid', 'none')),
    amount              bigint not null check (amount > 0),
    currency            text not null,
    confirmation        text not null check (confirmation in ('automatic', 'server')),
    allowed_origins     text[] not null,
    return_url          text,
    cancel_url          text,
    description         text,
    customer            jsonb,
    metadata            jsonb not null,
    failed_payments     integer not null default 0,
    payment_decision_id text,
    expires_at          timestamptz not null,
    created_at          timestamptz not null,
    check (status <> 'complete' or payment_decision_id is not null)
  );
  create index on checkout_session (account_id, livemode, id);
  create index on checkout_session (expires_at) where status = 'open';

  create table payment_method (
    id             text primary key,
    account_id     text not null references account,
    livemode       boolean not null,
    session_id     text not null references checkout_session,
    brand          text not null,
    last4          text not null,
    exp_month      integer not null,
    exp_year       integer not null,
    card_erased_at timestamptz,
    created_at     timestamptz not null
  );
  create index on payment_method (session_id);
  create index on payment_method (created_at) where card_erased_at is null;

  create table decision (
    id                text primary key,
    account_id        text not null references account,
    livemode          boolean not null,
    session_id        text references checkout_session,
    payment_method_id text not null,
    status            text not null check (status in ('requires_action', 'approved', 'declined', 'expired', 'consumed')),
    amount            bigint not null check (amount > 0),
    currency          text not null,
    risk_level        text not null,
    risk_reasons      text[] not null,
    three_ds_result   text,
    three_ds_version  text,
    eci               text,
    decline_code      text,
    cardholder_info   text,
    charge_id         text,
    expires_at        timestamptz not null,
    created_at        timestamptz not null,
    check (status <> 'declined' or decline_code is not null),
    check (status <> 'consumed' or charge_id is not null)
  );
  create index on decision (account_id, livemode, id);
  create index on decision (session_id);
  create index on decision (payment_method_id);
  create index on decision (expires_at) where status in ('requires_action', 'approved');

  create table authentication (
    id                      text primary key,
    decision_id             text not null unique references decision,
    status                  text not null check (status in ('method', 'authenticating', 'challenge', 'complete')),
    version                 text not null,
    method_url              text,
    method_notified         boolean not null default false,
    browser                 jsonb not null,
    browser_accept          text,
    browser_user_agent      text not null,
    browser_ip              text not null,
    challenge_window_size   text not null,
    acs_url                 text,
    acs_trans_id            text,
    ds_trans_id             text,
    trans_status            text,
    trans_status_reason     text,
    challenge_cancel        text,
    eci                     text,
    authentication_value    text,
    cardholder_info         text,
    result                  text,
    deadline                timestamptz not null,
    created_at              timestamptz not null,
    check ((status = 'complete') = (result is not null))
  );
  create index on authentication (deadline) where status <> 'complete';

  create table charge (
    id                text primary key,
    account_id        text not null references account,
    livemode          boolean not null,
    session_id        text references checkout_session,
    payment_method_id text not null,
    decision_id       text not null unique references decision,
    status            text not null check (status in ('processing', 'authorized', 'succeeded', 'failed', 'canceled')),
    amount            bigint not null check (amount > 0),
    currency          text not null,
    amount_captured   bigint not null default 0,
    amount_refunded   bigint not null default 0,
    decline_code      text,
    metadata          jsonb not null,
    request_id        text,
    idempotency_key   text,
    created_at        timestamptz not null,
    check (amount_refunded <= amount_captured and amount_captured <= amount),
    check (status <> 'failed' or decline_code is not null)
  );
  create index on charge (account_id, livemode, id);
  create index on charge (session_id);
  create unique index charge_one_success_per_session on charge (session_id) where status in ('processing', 'authorized', 'succeeded');

  create table attempt (
    id           text primary key,
    charge_id    text not null references charge,
    status       text not null check (status in ('processing', 'approved', 'declined')),
    times_asked  integer not null default 0,
    next_ask_at  timestamptz not null,
    decline_code text,
    created_at   timestamptz not null,
    finished_at  timestamptz
  );
  create index on attempt (charge_id);
  create index on attempt (next_ask_at) where status = 'processing';

  create table webhook_endpoint (
    id             text primary key,
    account_id     text not null references account,
    livemode       boolean not null,
    url            text not null,
    sealed_secret  bytea not null,
    enabled_events text[],
    description    text,
    status         text not null check (status in ('enabled', 'disabled')),
    created_at     timestamptz not null
  );
  create index on webhook_endpoint (account_id, livemode, id);

  create table event_sequence (
    object_id text primary key,
    last      integer not null
  );

  create table event (
    id              text primary key,
    account_id      text not null references account,
    livemode        boolean not null,
    type            text not null,
    object_id       text not null,
    object_sequence integer not null,
    object          jsonb not null,
    request_id      text,
    idempotency_key text,
    created_at      timestamptz not null,
    unique (object_id, object_sequence)
  );
  create index on event (account_id, livemode, id);

  create table delivery (
    id               text primary key,
    event_id         text not null references event,
    endpoint_id      text not null references webhook_endpoint,
    status           text not null check (status in ('pending', 'succeeded', 'failed')),
    tries            integer not null default 0,
    next_try_at      timestamptz not null,
    response_status  integer,
    failure          text,
    created_at       timestamptz not null,
    last_try_at      timestamptz,
    unique (event_id, endpoint_id)
  );
  create index on delivery (next_try_at) where status = 'pending';

  create table idempotency_key (
    account_id      text not null references account,
    livemode        boolean not null,
    key             text not null,
    fingerprint     bytea not null,
    claim           text not null,
    lease_until     timestamptz,
    charge_id       text,
    response_status integer,
    sealed_response bytea,
    created_at      timestamptz not null,
    primary key (account_id, livemode, key),
    check ((response_status is null) = (sealed_response is null))
  );
  create index on idempotency_key (created_at) where response_status is not null;
`;
