/**
 * Promotion codes that customers enter in the form, and what the merchant's server replies. A session keeps the code
 * that was entered last, and counts the entries and those that didn't change the amount or its parts. It also counts
 * how often the customer has chosen a shipping option.
 *
 * Processes of the earlier version can run meanwhile, and use none of these columns. A session that they create
 * collects no codes.
 */
export const promotionCodes = /* sql */ `
  alter table checkout_session add column shipping_choices integer not null default 0;
  alter table checkout_session add column collects_promotion_code boolean not null default false;
  alter table checkout_session add column promotion_code text;
  alter table checkout_session add column promotion_code_status text;
  alter table checkout_session add column promotion_code_reason text;
  alter table checkout_session add column promotion_code_entered_at timestamptz;
  alter table checkout_session add column promotion_code_entries integer not null default 0;
  alter table checkout_session add column promotion_codes_without_effect integer not null default 0;
  alter table checkout_session add constraint checkout_session_promotion_code_status
    check (promotion_code_status in ('pending', 'accepted', 'rejected')) not valid;
`;
