/**
 * The vault's tables, in a schema of their own. Only this package queries them; the service runs the migrations in the
 * order of their names.
 *
 * A card row lives as long as `keep_until` at most, whatever else is forgotten; without one the card is kept until it
 * is erased. A CVC lives fifteen minutes at most (PCI DSS 3.3.1: not after the bank has answered), goes with its card,
 * and is in a table without a write-ahead log, so that no log, backup or replica remembers it; a database that crashes
 * forgets it, and the bank decides without. A nonce is remembered until it would be too old anyway.
 *
 * `sealed` is a record's content under its own data key, `wrapped_key` that data key under the key named `key_id`,
 * which is in the key file. `key` is what the database knows of those (see `key-register.ts`); `key_file_lease` says
 * who may change the file (see `key-file-lease.ts`).
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

  // Cards that were sealed without a data key are erased: none was kept for longer than its checkout session and a day,
  // and there is no live mode yet. The payment of such a card that is just being made ends as one whose card is not
  // kept any more.
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
