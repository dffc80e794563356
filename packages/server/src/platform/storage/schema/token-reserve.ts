/**
 * The tenth version of the schema: an account's tokens for new customers can't be used up with numbers that someone makes
 * up, and the merchant is notified when they are used up.
 *
 * - `reserve` is a small bucket for customers whose issuers can't challenge them (`payments/risk/bucket.ts`). A `decision`
 *   says whether it took a token from it (`has_reserve`).
 * - `empty_at` is when a customer first found no token since the merchant was notified, and `told_empty_at` is when that was
 *   (`payments/risk/empty-buckets.ts`).
 *
 * Processes of the earlier version can run meanwhile. They don't use the reserve, and each decline still costs the account
 * more tokens.
 */
export const tokenReserve = /* sql */ `
  alter table admission
    add column reserve integer not null default 10 check (reserve >= 0),
    add column empty_at timestamptz,
    add column told_empty_at timestamptz;
  alter table decision add column has_reserve boolean not null default false;
  create index on admission (empty_at) where empty_at is not null;
`;
