/**
 * Multiple API keys per account, suspended accounts, shared rate limits, and the audit log.
 *
 * - An `account` is active or suspended. A suspended account's keys don't work. Live keys can be created only once
 *   `live_approved_at` is set.
 * - An `api_key` has a name, a scope, and an expiry that rolling sets. It is valid until it is revoked or expires.
 * - A `rate_bucket` contains the tokens of one limit. No row means that the bucket is full, so rows that haven't been
 *   used for a while are deleted. The table is unlogged: a crash loses only a few seconds of requests.
 * - `audit_log` is append-only. A trigger enforces that for every role except one that may drop the trigger. The table
 *   has no foreign keys because it outlives the objects it describes.
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
