/**
 * The second version of the schema: protection against card testing.
 *
 * - A `payment_method` has the `device` on which its card was typed: the hash of a random ID that the checkout page keeps
 *   in the browser.
 * - A `decision` says whether its `payer` has paid at the account before, whether it took a token (`has_token`), and when
 *   it was declined.
 * - An `admission` is an account's policy for new customers, if it has chosen one, and its bucket of tokens. `refilled`
 *   counts the tokens that were added since the start of the day, at most `daily_cap`. Payments until `matured_until` that
 *   stayed without a refund have refilled the bucket (`payments/risk/bucket.ts`).
 * - A `card_testing_report` is about card testing at an account (`payments/risk/card-testing-report.ts`). It contains counts,
 *   but no cards. `seen_at` is when card testing was last detected. Deleted 30 days after the end.
 * - A `shared_try` is the part of a `card_try` that is counted across all accounts of a mode: the card and the network. It
 *   belongs to no account. In test mode, where everyone uses the same few numbers, `card` begins with the account. Deleted
 *   after 30 days.
 *
 * Processes of the first version can run meanwhile. They still write `attack_report`, and count by card and by network in
 * `card_try`, so its two indexes for that remain. A later version can drop them, the column `network` and `attack_report`,
 * which this version doesn't use and empties.
 */
export const cardTesting = /* sql */ `
  -- First, because copying takes long and the changes below lock tables that each payment uses.
  create table shared_try (
    decision_id text primary key,
    livemode    boolean not null,
    card        bytea,
    network     text,
    is_declined boolean not null default false,
    created_at  timestamptz not null
  );
  create index on shared_try (livemode, card, created_at) where card is not null;
  create index on shared_try (livemode, network, created_at) where network is not null;
  create index on shared_try (created_at);

  insert into shared_try (decision_id, livemode, card, network, is_declined, created_at)
  select decision_id, livemode, case when livemode then fingerprint else int8send(account_no) || fingerprint end,
    network, outcome = 'declined', created_at
  from card_try;

  alter table payment_method add column device bytea;
  create index on payment_method (account_no, livemode, fingerprint) where fingerprint is not null;
  create index on payment_method (account_no, livemode, device) where device is not null;

  alter table decision
    add column payer text check (payer in ('returning', 'new')),
    add column has_token boolean not null default false,
    add column declined_at timestamptz;

  create table admission (
    account_no    bigint not null references account,
    livemode      boolean not null,
    policy        text check (policy in ('tokens', 'always_challenge', 'never_challenge')),
    bucket_size   integer not null check (bucket_size between 1 and 10000),
    tokens        integer not null check (tokens between -bucket_size and bucket_size),
    refilled      integer not null,
    daily_cap     integer not null,
    matured_until timestamptz not null,
    updated_at    timestamptz not null,
    primary key (account_no, livemode)
  );
  create index on admission (updated_at);

  delete from attack_report;
  create table card_testing_report (
    account_no bigint not null references account,
    livemode   boolean not null,
    id         text not null,
    started_at timestamptz not null,
    seen_at    timestamptz not null,
    ended_at   timestamptz,
    attempts   integer not null,
    blocked    integer not null,
    declined   integer not null,
    approved   integer not null,
    created_at timestamptz not null,
    primary key (account_no, livemode, id)
  );
  create unique index card_testing_ongoing on card_testing_report (account_no, livemode) where ended_at is null;
  create index on card_testing_report (ended_at);

  create index on card_try (created_at) where outcome in ('declined', 'rejected', 'abandoned');
`;
