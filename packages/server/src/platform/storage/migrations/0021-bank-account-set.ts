/**
 * Who last set the bank account in an application, and when. Its owners see this before they submit. Null if it was set
 * before this migration.
 */
export const bankAccountSet = `
  alter table application add column bank_account_set_by text;
  alter table application add column bank_account_set_at timestamptz;
`;
