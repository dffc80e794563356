/**
 * The vault's tables, in a separate schema that only this package queries. The service runs the migrations in the order
 * of their names.
 *
 * A card row is erased at `keep_until`, or stored until it's erased if that's null. A CVC is stored for at most fifteen
 * minutes (PCI DSS 3.3.1: not after authorization) and is erased with its card. Its table is unlogged, so that no log,
 * backup or replica contains it. After a database crash it's lost, and the acquirer decides without it. A nonce is
 * remembered until it would have expired anyway.
 *
 * `sealed` is a record's content under its data key. `wrapped_key` is that data key under the key `key_id` of the key
 * file. `key` is the database's register of those keys (`key-register.ts`). `key_file_lease` says who may change the
 * file (`key-file-lease.ts`).
 */
export const vaultMigrations: Record<string, string> = {
  "0001_vault": `
    create schema vault;

    create table vault.card (
      payment_method_id text primary key,
      account_id        text not null,
      mode              text not null check (mode in ('test', 'live')),
      key_id            text not null,
      sealed            bytea not null,
      keep_until        timestamptz not null,
      created_at        timestamptz not null
    );
    create index on vault.card (keep_until);

    create unlogged table vault.cvc (
      payment_method_id text primary key references vault.card on delete cascade,
      key_id            text not null,
      sealed            bytea not null,
      erase_at          timestamptz not null
    );
    create index on vault.cvc (erase_at);

    create table vault.used_nonce (
      nonce      text primary key,
      expires_at timestamptz not null
    );
    create index on vault.used_nonce (expires_at);
  `,

  // Erases cards that were sealed without a data key. None was stored for longer than its checkout session and a day,
  // and there was no live mode yet. A payment in progress with such a card ends as if its card were no longer stored.
  "0002_vault_envelope": `
    delete from vault.card;
    alter table vault.card
      add column wrapped_key bytea not null,
      alter column keep_until drop not null;
    alter table vault.cvc add column wrapped_key bytea not null;
    create index on vault.card (key_id);
    create index on vault.cvc (key_id);

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
};
