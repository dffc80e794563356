/**
 * Cards with two networks.
 *
 * - A `payment_method` stores which network the customer chose. All payments with the card use it, including later ones
 *   without the customer. Null: the customer chose none, and the acquirer decides.
 */
export const cardNetwork = `
  alter table payment_method
    add column network text check (network in
      ('visa', 'mastercard', 'maestro', 'cartes_bancaires', 'bancontact', 'dankort', 'eftpos_australia'));
`;
