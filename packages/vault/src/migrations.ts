/**
 * The vault's tables, in a schema of their own. Only this package queries them; the service runs the migrations in the order of their names.
 *
 * A card row lives as long as `keep_until` at most, whatever else is forgotten. A security code lives fifteen minutes at most
 * (PCI DSS 3.3.1: not after the bank has answered) and goes with its card. A nonce is remembered until it would be too old anyway.
 */
export const vaultMigrations: Record<string, string> = {
  "0001_vault": `
    create schema vault;

    create table vault.card (
      payment_method_id text primary key,
      account_id        text not null,
      environment       text not null check (environment in ('test', 'live')),
      key_id            text not null,
      sealed            bytea not null,
      fingerprint       bytea not null,
      keep_until        timestamptz not null,
      created_at        timestamptz not null
    );
    create index on vault.card (keep_until);

    create table vault.security_code (
      payment_method_id text primary key references vault.card on delete cascade,
      key_id            text not null,
      sealed            bytea not null,
      erase_at          timestamptz not null
    );
    create index on vault.security_code (erase_at);

    create table vault.used_nonce (
      nonce      text primary key,
      expires_at timestamptz not null
    );
    create index on vault.used_nonce (expires_at);
  `,
};
