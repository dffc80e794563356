/**
 * Who last gave the bank account that an application names, and when: its owners see it before they submit. Null for
 * what was given before this was noted.
 */
export const bankAccountSet = `
  alter table application add column bank_account_set_by text;
  alter table application add column bank_account_set_at timestamptz;
`;
