/**
 * The vault's tables, in a separate schema that only this package queries. The service runs the migrations in the order
 * of their names. In a database of its own, the vault's schema already exists, with the list of migrations.
 *
 * A card is found by its payment method's ID alone, so that a row that was moved to another account is noticed, refused
 * and audited instead of missing.
 *
 * A card row is erased at `erase_at`, or stored until it's erased if that's null. A CVC is stored for at most fifteen
 * minutes (PCI DSS 3.3.1: not after authorization), and is erased once the outcome is committed, or with its card. Its
 * table is unlogged, so that no log, backup or replica contains it. After a database crash it's lost, and the acquirer
 * decides without it. A nonce is remembered until it would have expired anyway.
 *
 * `credentials` has the credentials of acquirer accounts. New ones get a new version, and the acquirer account says which
 * version counts, so that settings and credentials change together. A record that was moved to another acquirer account,
 * version, account or mode can't be decrypted there.
 *
 * `sealed` is a record's content under its data key. `wrapped_key` is that data key under the key `key_id` of the key
 * file. `key` is the database's register of those keys (`keys/key-register.ts`). `key_file_lease` says who may change the
 * file (`key-file-lease.ts`).
 */
export const vaultMigrations: Record<string, string> = {
  "0001_vault": `
    create schema if not exists vault;

    create table vault.card (
      payment_method_id text primary key,
      account_no        bigint not null,
      mode              text not null check (mode in ('test', 'live')),
      key_id            text not null,
      wrapped_key       bytea not null,
      sealed            bytea not null,
      keep_until        timestamptz,
      created_at        timestamptz not null
    );
    create index on vault.card (keep_until);
    create index on vault.card (key_id);

    create unlogged table vault.cvc (
      payment_method_id text primary key references vault.card on delete cascade,
      key_id            text not null,
      wrapped_key       bytea not null,
      sealed            bytea not null,
      erase_at          timestamptz not null
    );
    create index on vault.cvc (erase_at);
    create index on vault.cvc (key_id);

    create table vault.used_nonce (
      nonce      text primary key,
      expires_at timestamptz not null
    );
    create index on vault.used_nonce (expires_at);

    create table vault.key (
      id            text primary key,
      purpose       text not null check (purpose in ('card', 'cvc', 'fingerprint')),
      check_value   bytea not null,
      registered_at timestamptz not null,
      closed_at     timestamptz,
      retired_at    timestamptz,
      check (retired_at is null or closed_at is not null)
    );

    create table vault.key_file_lease (
      only_row   boolean primary key default true check (only_row),
      holder     text not null,
      held_until timestamptz not null
    );
  `,
  "0002_credentials": `
    create table vault.credentials (
      account_no  bigint not null,
      mode        text not null check (mode in ('test', 'live')),
      key_id      text not null,
      wrapped_key bytea not null,
      sealed      bytea not null,
      created_at  timestamptz not null,
      primary key (account_no, mode)
    );
    create index on vault.credentials (key_id);
  `,
  // Nothing has written to the table before.
  "0003_credentials_of_acquirer_accounts": `
    alter table vault.credentials
      drop constraint credentials_pkey,
      add column acquirer_account_id text not null,
      add column version text not null,
      add primary key (acquirer_account_id, version);
  `,
  // Numbered after the service's migrations, because one database can contain both.
  "0016_card_erase_at": `
    alter table vault.card rename column keep_until to erase_at;
    alter index vault.card_keep_until_idx rename to card_erase_at_idx;
  `,
};
