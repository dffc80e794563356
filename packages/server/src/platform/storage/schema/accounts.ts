/**
 * Merchants' accounts and their secret keys, and what identifies this installation.
 *
 * - An `account` is a merchant. `id` is its public ID. `account_no` is the key of everything that it owns: a number that
 *   never changes and can't be derived from the ID. It consists of the installation's number (10 bits) and 40 random
 *   bits, so that accounts of several installations can share one database later. The installation gets its number with
 *   its first account.
 * - A suspended account's keys don't work. Live keys can be created only once `live_approved_at` is set.
 *   `acquirer_merchant_id` is the account's ID at the live acquirer; EMV 3DS allows 35 characters (acquirerMerchantID).
 * - An account lists the origins that may embed its sessions, the hosts to which its sessions may send customers
 *   (empty: any host), and the default appearance for sessions that don't set one.
 * - An `api_key` is valid until it is revoked or, after rolling, until it expires. `first_used_at` is never cleared.
 * - `server_key` contains check values, which show whether the service's key file belongs to this database.
 * - `write_check` is the table that `/readyz` writes to: one row, in the tables' own tablespace.
 */
export const accounts = /* sql */ `
  create table installation (
    only_row boolean primary key default true check (only_row),
    number   smallint not null check (number between 0 and 1023)
  );

  create table account (
    account_no           bigint primary key,
    id                   text not null unique,
    name                 text not null,
    status               text not null default 'active' check (status in ('active', 'suspended')),
    allowed_origins      text[] not null default '{}',
    return_url_hosts     text[] not null default '{}',
    appearance           jsonb,
    live_approved_at     timestamptz,
    acquirer_merchant_id text check (acquirer_merchant_id ~ '^[0-9A-Za-z_.:-]{1,35}$'),
    created_at           timestamptz not null
  );
  -- Operators search by the beginning of the name. In byte order, a range works whatever the database's locale is.
  create index on account (lower(name) collate "C", id);

  create table api_key (
    account_no    bigint not null references account,
    livemode      boolean not null,
    id            text not null,
    name          text not null,
    scope         text not null check (scope in ('full', 'read', 'checkout')),
    hash          bytea not null,
    last4         text not null,
    created_at    timestamptz not null,
    first_used_at timestamptz,
    last_used_at  timestamptz,
    expires_at    timestamptz,
    revoked_at    timestamptz,
    primary key (account_no, livemode, id),
    unique (account_no, livemode, hash)
  );

  create table server_key (
    name        text primary key,
    check_value bytea not null
  );

  create table write_check (
    only_row   boolean primary key default true check (only_row),
    written_at timestamptz not null
  );
  insert into write_check (written_at) values (now());
`;
