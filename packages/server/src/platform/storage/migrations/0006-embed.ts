/**
 * Data for the embed.
 *
 * - A `checkout_session` says which button pays: the form's own, or the merchant's as well.
 * - A `payment_method` has the billing details from the form. Null if none were requested, or if the card is erased.
 */
export const embed = `
  alter table checkout_session
    add column submit_button text not null default 'built-in' check (submit_button in ('built-in', 'merchant'));

  alter table payment_method
    add column billing_details jsonb,
    add check (card_erased_at is null or billing_details is null);
`;
