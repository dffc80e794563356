/**
 * What the embed asks for.
 *
 * - A `checkout_session` says whose button pays: the form's own, or the host page's as well.
 * - A `payment_method` holds what the customer gave beside the card; null where nothing was asked for, and once the
 *   card is erased.
 */
export const embed = `
  alter table checkout_session
    add column submit_button text not null default 'built-in' check (submit_button in ('built-in', 'merchant'));

  alter table payment_method
    add column billing_details jsonb,
    add check (card_erased_at is null or billing_details is null);
`;
