/**
 * The vault's tables, in a schema of their own. Only this package queries them; the service runs the migrations in the order of their names.
 *
 * A card row lives as long as `keep_until` at most, whatever else is forgotten. A CVC lives fifteen minutes at most (PCI DSS 3.3.1: not after
 * the bank has answered), goes with its card, and is in a table without a write-ahead log, so that no log, backup or replica remembers it; a
 * database that crashes forgets it, and the bank decides without. A nonce is remembered until it would be too old anyway.
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
};
