/**
 * Several keys per account, suspended accounts, shared rate limits, and the log of who changed what.
 *
 * - An `account` is active or suspended; a suspended one's keys open nothing. Live keys are made only once
 *   `live_approved_at` is set.
 * - An `api_key` has a name, a scope, and an end that rolling gives it. It is valid while it is neither revoked nor
 *   past its end.
 * - A `rate_bucket` holds the tokens of one limit; no row means a full one, so rows that nobody has asked for a while
 *   are deleted. It has no write-ahead log: what a crash forgets is a few seconds' worth of requests.
 * - `audit_log` is written and never changed; the trigger holds every role to it, short of one that may drop the
 *   trigger. It refers to nothing, because it outlives what it tells of.
 */
export const keysAndLimits = `
  alter table account
    add column status           text not null default 'active' check (status in ('active', 'suspended')),
    add column live_approved_at timestamptz;

  alter table api_key
    add column name       text not null default 'Secret key',
    add column scope      text not null default 'full' check (scope in ('full', 'read', 'checkout')),
    add column expires_at timestamptz;
  alter table api_key alter column name drop default, alter column scope drop default;
  create index on api_key (account_id, id);

  create unlogged table rate_bucket (
    name        text primary key,
    tokens      double precision not null,
    granted     integer not null,
    refilled_at timestamptz not null
  );
  create index on rate_bucket (refilled_at);

  create table audit_log (
    id         text primary key,
    account_id text,
    actor      text not null,
    action     text not null,
    object_id  text,
    outcome    text not null check (outcome in ('done', 'refused')),
    details    jsonb not null,
    created_at timestamptz not null
  );
  create index on audit_log (account_id, id);

  create function refuse_to_change_audit_log() returns trigger language plpgsql as $$
  begin
    raise exception 'The audit log is only ever added to.';
  end
  $$;
  create trigger audit_log_is_only_added_to before update or delete on audit_log
    for each row execute function refuse_to_change_audit_log();
  create trigger audit_log_is_not_emptied before truncate on audit_log
    for each statement execute function refuse_to_change_audit_log();
`;
