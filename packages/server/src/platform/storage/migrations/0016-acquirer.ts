/**
 * Whose sale a live payment is: what the account is called at live mode's acquirer (null: it has none, and takes no
 * live payments), and, with each decision, what it was called when the decision was made. EMV 3DS has room for 35
 * characters (acquirerMerchantID).
 */
export const acquirer = `
  alter table account
    add column acquirer_merchant_id text check (acquirer_merchant_id ~ '^[0-9A-Za-z_.:-]{1,35}$');

  alter table decision add column acquirer_merchant_id text;
`;
