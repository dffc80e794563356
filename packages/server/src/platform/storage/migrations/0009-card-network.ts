/**
 * Cards that two networks share.
 *
 * - A `payment_method` says which of them the customer chose. Every payment with it goes over that one, also later,
 *   with the customer absent. Null: nothing was chosen, and the bank decides.
 */
export const cardNetwork = `
  alter table payment_method
    add column network text check (network in
      ('visa', 'mastercard', 'maestro', 'cartes_bancaires', 'bancontact', 'dankort', 'eftpos_australia'));
`;
