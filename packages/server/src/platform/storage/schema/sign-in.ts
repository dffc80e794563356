/**
 * Users of the dashboard and their permissions.
 *
 * - A `login` is a user, with an email address and a name. `login_session`, `login_credential`, `login_verification`
 *   and `login_second_factor` are better-auth's session, account, verification and twoFactor tables under our names;
 *   `merchants/sign-in/auth.ts` maps them.
 * - `login_passkey` is a WebAuthn credential. `spent_code` stores second-factor codes that were entered, right or
 *   wrong, so that none is checked twice.
 * - `sign_in_failure` counts wrong passwords by email address, even if no user has it, so that responses don't reveal
 *   which addresses exist.
 * - A `member` is a user in an account's team, and an accepted `invitation` creates one. An `operator` is a user
 *   outside all teams.
 */
export const signIn = /* sql */ `
  create table login (
    id                   text primary key,
    name                 text not null,
    email                text not null unique,
    email_verified       boolean not null,
    image                text,
    two_factor_enabled   boolean not null default false,
    pending_account_name text,
    created_at           timestamptz not null,
    updated_at           timestamptz not null
  );
  create index on login (created_at) where not email_verified;

  create table login_session (
    id            text primary key,
    login_id      text not null references login on delete cascade,
    token         text not null unique,
    expires_at    timestamptz not null,
    ip_address    text,
    user_agent    text,
    stepped_up_at timestamptz,
    created_at    timestamptz not null,
    updated_at    timestamptz not null
  );
  create index on login_session (login_id);
  create index on login_session (expires_at);

  create table login_credential (
    id                       text primary key,
    login_id                 text not null references login on delete cascade,
    account_id               text not null,
    provider_id              text not null,
    password                 text,
    access_token             text,
    refresh_token            text,
    id_token                 text,
    access_token_expires_at  timestamptz,
    refresh_token_expires_at timestamptz,
    scope                    text,
    created_at               timestamptz not null,
    updated_at               timestamptz not null
  );
  create unique index on login_credential (login_id, provider_id);

  create table login_verification (
    id         text primary key,
    identifier text not null,
    value      text not null,
    expires_at timestamptz not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
  );
  create index on login_verification (identifier);
  create index on login_verification (expires_at);

  create table login_second_factor (
    id                        text primary key,
    login_id                  text not null unique references login on delete cascade,
    secret                    text not null,
    backup_codes              text not null,
    verified                  boolean not null default false,
    failed_verification_count integer not null default 0,
    locked_until              timestamptz
  );

  create table login_passkey (
    id            text primary key,
    login_id      text not null references login on delete cascade,
    name          text not null,
    credential_id text not null unique,
    public_key    bytea not null,
    counter       bigint not null,
    transports    text[] not null,
    created_at    timestamptz not null
  );
  create index on login_passkey (login_id);

  create table spent_code (
    login_id text not null references login on delete cascade,
    code     text not null,
    spent_at timestamptz not null,
    primary key (login_id, code)
  );
  create index on spent_code (spent_at);

  create table sign_in_failure (
    email        text primary key,
    failures     integer not null,
    failed_at    timestamptz not null,
    locked_until timestamptz
  );
  create index on sign_in_failure (failed_at);

  create table member (
    account_no bigint not null references account,
    login_id   text not null references login on delete cascade,
    role       text not null check (role in ('owner', 'developer', 'support', 'read_only')),
    created_at timestamptz not null,
    primary key (account_no, login_id)
  );
  create index on member (login_id);

  create table invitation (
    account_no  bigint not null references account,
    id          text not null,
    email       text not null,
    role        text not null check (role in ('owner', 'developer', 'support', 'read_only')),
    token_hash  bytea not null,
    invited_by  text not null,
    created_at  timestamptz not null,
    expires_at  timestamptz not null,
    accepted_at timestamptz,
    revoked_at  timestamptz,
    primary key (account_no, id),
    unique (account_no, token_hash)
  );

  create table operator (
    login_id   text primary key references login on delete cascade,
    created_at timestamptz not null
  );
`;
