/**
 * The account's ID at the live acquirer. Null: it has none, and can't take live payments. Each decision stores the ID
 * at the time it was made. EMV 3DS allows 35 characters (acquirerMerchantID).
 */
export const acquirer = `
  alter table account
    add column acquirer_merchant_id text check (acquirer_merchant_id ~ '^[0-9A-Za-z_.:-]{1,35}$');

  alter table decision add column acquirer_merchant_id text;
`;
