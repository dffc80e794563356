/**
 * Later captures, cancellations, refunds and saved cards.
 *
 * - An `attempt` is now a message of any kind to the acquirer, and records the request that caused it. Its ID is the
 *   idempotency key at the acquirer. It is also the recovery point of the request's own idempotency key: once the
 *   attempt is written, the response depends on it. `asking_until` is the lease of the process that is calling the
 *   acquirer.
 * - A `charge` that is being captured or canceled names that attempt in `busy_attempt_id`, which serves as a lock.
 * - A `refund` reserves its amount in `charge.amount_refunding` before the acquirer is called, so that concurrent
 *   refunds can't exceed the charge.
 * - A `payment_method` is `reusable` from when its payment succeeds until it is detached, which is final.
 * - A response is replayed for 24 hours from `answered_at`, because a response may come long after its request.
 * - `server_key` contains check values, which show whether the service's key file belongs to this database.
 * - A session whose mode is `setup` saves a card without charging it. The acquirer verifies the card, with an attempt
 *   that has no charge.
 */
export const money = `
  alter table checkout_session
    add column mode                text not null default 'payment' check (mode in ('payment', 'setup')),
    add column capture_method      text not null default 'automatic' check (capture_method in ('automatic', 'manual')),
    add column save_payment_method boolean not null default false,
    add column line_items          jsonb not null default '[]',
    alter column amount drop not null,
    alter column currency drop not null,
    add check (mode = 'setup' or (amount is not null and currency is not null)),
    add check (status <> 'complete' or payment_status <> 'processing');

  alter table payment_method
    add column reusable    boolean not null default false,
    add column detached_at timestamptz,
    add column fingerprint bytea,
    add check (not (reusable and detached_at is not null)),
    add check (not (reusable and card_erased_at is not null));
  drop index payment_method_created_at_idx;
  create index payment_method_card_to_erase on payment_method (created_at) where card_erased_at is null and not reusable;

  alter table decision
    drop constraint decision_amount_check,
    drop constraint decision_check1,
    add check (amount >= 0),
    add check (status <> 'consumed' or charge_id is not null or amount = 0);

  alter table charge
    add column capture_method   text not null default 'automatic' check (capture_method in ('automatic', 'manual')),
    add column amount_refunding bigint not null default 0 check (amount_refunding >= 0),
    add column busy_attempt_id  text,
    add check (amount_refunded >= 0 and amount_refunded + amount_refunding <= amount_captured),
    add check (busy_attempt_id is null or status = 'authorized'),
    add check ((amount_captured > 0) = (status = 'succeeded'));

  create table refund (
    id           text primary key,
    account_id   text not null references account,
    livemode     boolean not null,
    charge_id    text not null references charge,
    status       text not null check (status in ('processing', 'succeeded', 'failed')),
    amount       bigint not null check (amount > 0),
    currency     text not null,
    reason       text,
    decline_code text,
    created_at   timestamptz not null,
    check ((status = 'failed') = (decline_code is not null))
  );
  create index on refund (account_id, livemode, id);
  create index on refund (charge_id);

  alter table attempt
    add column account_id      text references account,
    add column livemode        boolean,
    add column kind            text not null default 'authorize' check (kind in ('authorize', 'verify', 'capture', 'cancel', 'refund')),
    add column amount          bigint check (amount >= 0),
    add column decision_id     text references decision,
    add column refund_id       text references refund,
    add column request_id      text,
    add column idempotency_key text,
    add column asking_until    timestamptz,
    alter column charge_id drop not null;
  update attempt
     set account_id = charge.account_id, livemode = charge.livemode, amount = charge.amount, decision_id = charge.decision_id,
         request_id = charge.request_id, idempotency_key = charge.idempotency_key
    from charge where charge.id = attempt.charge_id;
  alter table attempt
    alter column account_id set not null,
    alter column livemode set not null,
    alter column amount set not null,
    alter column decision_id set not null,
    alter column kind drop default,
    add check ((kind = 'verify') = (charge_id is null)),
    add check ((kind = 'refund') = (refund_id is not null));
  create unique index attempt_one_per_decision on attempt (decision_id) where kind in ('authorize', 'verify');
  create unique index attempt_one_per_refund on attempt (refund_id) where refund_id is not null;
  alter table charge drop column request_id, drop column idempotency_key;

  alter table idempotency_key
    add column attempt_id text,
    add column field_digests jsonb,
    add column differed text[],
    add column answered_at timestamptz;
  update idempotency_key
     set attempt_id = (select id from attempt where attempt.charge_id = idempotency_key.charge_id)
   where charge_id is not null;
  update idempotency_key set answered_at = created_at where response_status is not null;
  alter table idempotency_key
    drop column charge_id,
    add check ((response_status is null) = (answered_at is null));
  drop index idempotency_key_created_at_idx;
  create index on idempotency_key (answered_at) where answered_at is not null;

  create index on event (account_id, livemode, type, id);

  create table server_key (
    name        text primary key,
    check_value bytea not null
  );
`;
