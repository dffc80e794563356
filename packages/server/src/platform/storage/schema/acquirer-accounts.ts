/**
 * The fourth version of the schema: acquirers of single accounts, outcomes that arrive later, and the ledger.
 *
 * - An `acquirer_account` is an account's own account at a vendor such as Adyen, for one mode. At most one is current.
 *   Without one, the service's default acquirer moves the money. A decision keeps the one that it was made with, so a
 *   replaced acquirer account still captures and refunds its payments. Credentials are in the vault, and
 *   `credentials_version` says which of them count, so that settings and credentials change in one transaction.
 * - An attempt with `accepted_at` was accepted by the acquirer, and a notification has the outcome. `first_asked_at` is
 *   when it was first sent, or null if that's `created_at`, because it was inserted claimed. A `reverse` attempt
 *   undoes the authorization with the same `decision_id` and `is_step_up`: by our reference if its outcome is unknown
 *   (`reversal` is `reference`), or by the acquirer's ID if it was approved too late (`cancel` or `refund`).
 * - An `acquirer_notification` is stored before it's processed. `id` is the same for each copy of it. `unmatched`: it
 *   fits nothing that we know, and a person was told (`attention`).
 * - The `ledger_entry` rows of a charge are what moved between the merchant and the acquirer, with a sign: positive
 *   amounts belong to the merchant. `reference` is the acquirer's ID of the movement, or our attempt's ID if the acquirer
 *   has none. The key makes duplicates impossible, and triggers refuse changes. The entry of an approved attempt is
 *   written by a trigger, so that no code can forget it.
 * - A `dispute` is a customer's complaint to the issuer. `events` are the acquirer's events so far, and the status follows
 *   from them in any order. Its amount can differ from the charge's, and is null if it can't be expressed.
 * - An `attention` row is something that a person has to look at. `subject` is the ID of what it's about.
 * - A vendor's 3DS Server chooses the threeDSServerTransID (`server_trans_id`) and the version of an authentication. Both
 *   are null before its first reply. `vendor_state` is what it needs for the next request, until the end.
 *
 * Processes of the third version can run meanwhile. They neither use acquirer accounts nor create attempts that wait.
 */
export const acquirerAccounts = /* sql */ `
  create table acquirer_account (
    account_no  bigint not null references account,
    livemode    boolean not null,
    id          text not null,
    connector   text not null check (connector in ('adyen')),
    settings    jsonb not null,
    credentials_version text not null,
    created_at  timestamptz not null,
    updated_at  timestamptz not null,
    replaced_at timestamptz,
    primary key (account_no, livemode, id)
  );
  create unique index acquirer_account_current on acquirer_account (account_no, livemode) where replaced_at is null;

  alter table decision add column acquirer_account_id text;

  alter table authentication add column vendor_state jsonb, add column server_trans_id text,
    alter column version drop not null;
  create unique index authentication_server_trans_id on authentication (account_no, livemode, server_trans_id)
    where server_trans_id is not null;

  alter table charge add column pending_operation text check (pending_operation in ('capture', 'cancel')),
    add constraint charge_pending_is_busy check (pending_operation is null or busy_attempt_id is not null);

  alter table refund drop constraint refund_status_check,
    add constraint refund_status_check check (status in ('processing', 'pending', 'succeeded', 'failed'));

  alter table attempt
    add column accepted_at timestamptz,
    add column first_asked_at timestamptz,
    add column reversal text check (reversal in ('reference', 'cancel', 'refund')),
    drop constraint attempt_kind_check,
    add constraint attempt_kind_check check (kind in ('authorize', 'verify', 'capture', 'cancel', 'refund', 'reverse')),
    add constraint attempt_reversal_of_reverse check ((kind = 'reverse') = (reversal is not null)),
    drop constraint attempt_check2,
    add constraint attempt_check2 check (not is_step_up or kind in ('authorize', 'verify', 'reverse'));
  create unique index attempt_one_reversal on attempt (account_no, livemode, decision_id, is_step_up, reversal)
    where kind = 'reverse';

  create table acquirer_notification (
    account_no          bigint not null,
    livemode            boolean not null,
    acquirer_account_id text not null,
    id                  text not null,
    status              text not null check (status in ('received', 'processed', 'unmatched')),
    contents            jsonb not null,
    tries               integer not null default 0,
    next_try_at         timestamptz not null,
    received_at         timestamptz not null,
    processed_at        timestamptz,
    primary key (account_no, livemode, acquirer_account_id, id),
    foreign key (account_no, livemode, acquirer_account_id) references acquirer_account
  );
  create index on acquirer_notification (next_try_at) where status = 'received';

  create table ledger_entry (
    account_no bigint not null,
    livemode   boolean not null,
    charge_id  text not null,
    kind       text not null check (kind in ('capture', 'capture_failed', 'refund', 'refund_failed', 'refund_reversed',
      'chargeback', 'chargeback_reversed', 'second_chargeback')),
    reference  text not null,
    amount     bigint not null check (amount <> 0),
    currency   text not null,
    attempt_id text,
    created_at timestamptz not null,
    primary key (account_no, livemode, charge_id, kind, reference),
    foreign key (account_no, livemode, charge_id) references charge
  );

  create function refuse_to_change_ledger() returns trigger language plpgsql as $$
  begin
    raise exception 'The ledger is only ever added to.';
  end
  $$;
  create trigger ledger_is_only_added_to before update or delete on ledger_entry
    for each row execute function refuse_to_change_ledger();

  create function ledger_amount_of(attempt attempt, charge charge) returns bigint language sql immutable as $$
    select case
      when attempt.status <> 'approved' then null
      when attempt.kind = 'capture' then attempt.amount
      when attempt.kind = 'authorize' and charge.capture_method = 'automatic' then attempt.amount
      when attempt.kind = 'refund' then -attempt.amount
      when attempt.kind = 'reverse' and attempt.reversal = 'refund' then -attempt.amount
    end
  $$;

  create function enter_attempt_in_ledger() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
  begin
    insert into ledger_entry (account_no, livemode, charge_id, kind, reference, amount, currency, attempt_id, created_at)
    select new.account_no, new.livemode, charge.id,
      case when new.kind in ('refund', 'reverse') then 'refund' else 'capture' end,
      coalesce(new.acquirer_id, new.id), ledger_amount_of(new, charge), charge.currency, new.id, new.finished_at
    from charge
    where charge.account_no = new.account_no and charge.livemode = new.livemode and charge.id = new.charge_id
      and ledger_amount_of(new, charge) is not null
    on conflict do nothing;
    return null;
  end
  $$;
  create trigger attempt_is_entered_in_ledger after update on attempt for each row
    when (new.status = 'approved' and old.status <> 'approved' and new.charge_id is not null)
    execute function enter_attempt_in_ledger();

  insert into ledger_entry (account_no, livemode, charge_id, kind, reference, amount, currency, attempt_id, created_at)
  select attempt.account_no, attempt.livemode, charge.id, case when attempt.kind = 'refund' then 'refund' else 'capture' end,
    coalesce(attempt.acquirer_id, attempt.id), ledger_amount_of(attempt, charge), charge.currency, attempt.id,
    attempt.finished_at
  from attempt join charge on charge.account_no = attempt.account_no and charge.livemode = attempt.livemode
    and charge.id = attempt.charge_id
  where attempt.status = 'approved' and ledger_amount_of(attempt, charge) is not null
  on conflict do nothing;

  create table dispute (
    account_no  bigint not null,
    livemode    boolean not null,
    id          text not null,
    charge_id   text not null,
    acquirer_id text not null,
    status      text not null check (status in ('needs_response', 'under_review', 'won', 'lost')),
    amount      bigint,
    currency    text,
    reason      text,
    respond_by  timestamptz,
    events      text[] not null,
    created_at  timestamptz not null,
    closed_at   timestamptz,
    primary key (account_no, livemode, id),
    unique (account_no, livemode, acquirer_id),
    foreign key (account_no, livemode, charge_id) references charge,
    check ((amount is null) = (currency is null)),
    check ((closed_at is null) = (status in ('needs_response', 'under_review')))
  );
  create index on dispute (account_no, livemode, charge_id);

  create table attention (
    account_no  bigint not null,
    livemode    boolean not null,
    id          text not null,
    kind        text not null,
    subject     text not null,
    charge_id   text,
    attempt_id  text,
    details     jsonb not null,
    created_at  timestamptz not null,
    resolved_at timestamptz,
    resolved_by text,
    primary key (account_no, livemode, id),
    foreign key (account_no, livemode, charge_id) references charge,
    check (resolved_by is null or resolved_at is not null)
  );
  create unique index attention_once on attention (account_no, livemode, kind, subject);
  create index attention_open on attention (account_no, livemode, id) where resolved_at is null;
`;
