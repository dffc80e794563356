/**
 * The data for the risk rules.
 *
 * - A `card_try` is one use of a card, committed before the rules count, so that concurrent ones see each other. Its ID
 *   is also the decision's ID. It isn't a foreign key because the decision may never be created. Deleted after 30 days.
 * - An `attack_report` records that an account-wide rule was triggered in a particular hour. It contains counts, but no
 *   cards. Deleted after 30 days, too.
 *
 * Each kind of count has its own index, which ends with the time because every count covers a window that ends now. The
 * counts by card and by network cover all accounts of a mode, so these two indexes don't start with the account.
 */
export const risk = /* sql */ `
  create table card_try (
    account_no  bigint not null,
    livemode    boolean not null,
    decision_id text not null,
    session_id  text,
    fingerprint bytea,
    network     text,
    amount      bigint not null check (amount >= 0),
    currency    text not null,
    outcome     text not null check (outcome in ('pending', 'approved', 'declined', 'rejected', 'abandoned')),
    created_at  timestamptz not null,
    primary key (account_no, livemode, decision_id)
  );
  create index on card_try (livemode, fingerprint, created_at) where fingerprint is not null;
  create index on card_try (livemode, network, created_at) where network is not null;
  create index on card_try (account_no, livemode, session_id, created_at) where session_id is not null;
  create index on card_try (account_no, livemode, created_at);
  create index on card_try (account_no, livemode, currency, created_at) where outcome = 'approved';
  create index on card_try (created_at);

  create table attack_report (
    account_no bigint not null references account,
    livemode   boolean not null,
    rule       text not null,
    verdict    text not null check (verdict in ('challenge', 'decline')),
    hour       timestamptz not null,
    tries      integer not null,
    declined   integer not null,
    cards      integer not null,
    networks   integer not null,
    created_at timestamptz not null,
    primary key (account_no, livemode, rule, verdict, hour)
  );
  create index on attack_report (created_at);
`;
