/**
 * The twentieth version of the schema: checkout sessions with a total of 0.
 *
 * Their `payment_status` is stored as `unpaid`, because a change can make the total positive again. Such a session can be
 * complete without a decision, unless it saves a card.
 *
 * Processes of the earlier version can run meanwhile. They would charge an amount of 0, so constraints keep them from
 * starting a payment. Nobody may claim a session that needs no card. If it saves one, only a claim that compares the
 * version, which sets `version_claimed_by`, may: whoever compares versions verifies the card instead of charging it.
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
