/**
 * The twentieth version of the schema: checkout sessions with a total of 0.
 *
 * Their `payment_status` is stored as `unpaid`, because a change can make the total positive again. Such a session can
 * be complete without a decision, unless it saves a card.
 *
 * Processes of schemas before 0019 can run meanwhile, and would charge an amount of 0. Constraints stop them: no
 * process can claim a session that needs no card, and a session with a total of 0 that saves a card can be claimed only
 * by a process that sets `version_claimed_by`. 0019 to 0021 are released together, so every released process that sets
 * it verifies the card.
 */
export const zeroTotals = /* sql */ `
  alter table checkout_session drop constraint checkout_session_amount_check;
  alter table checkout_session add constraint checkout_session_amount_check check (amount >= 0) not valid;
  alter table checkout_session drop constraint checkout_session_check1;
  alter table checkout_session add constraint checkout_session_check1
    check (status <> 'complete' or (payment_status <> 'processing'
      and (payment_decision_id is not null or (mode = 'payment' and amount = 0 and not save_payment_method))))
    not valid;
  alter table checkout_session drop constraint checkout_session_version_claimed;
  alter table checkout_session add constraint checkout_session_version_claimed
    check ((version = 1 and amount is distinct from 0) or payment_decision_id is null
      or version_claimed_by is not distinct from payment_decision_id)
    not valid;
  alter table checkout_session add constraint checkout_session_needs_no_card
    check (payment_decision_id is null or mode <> 'payment' or amount <> 0 or save_payment_method)
    not valid;
`;
