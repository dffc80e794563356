/**
 * What tells a payment request that was lost from one that began a payment: the id that the page gave it, kept with its
 * decision, and the session's round. A request is of the round that its page had heard of. When a request is given up
 * as lost, the next round begins, and no request of an earlier round begins a payment.
 */
export const paymentRequests = `
  alter table checkout_session add column payment_round integer not null default 0;

  alter table decision add column request_id uuid;
`;
