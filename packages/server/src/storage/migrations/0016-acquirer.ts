/** What an account is called at the acquirer of live mode. Null: it has none, and takes no live payments. EMV 3DS has room for 35 characters (acquirerMerchantID). */
export const acquirer = `
  alter table account
    add column acquirer_merchant_id text check (acquirer_merchant_id ~ '^[0-9A-Za-z_.:-]{1,35}$');
`;
