/**
 * Distinguishes a lost payment request from one that started a payment. The decision stores the ID that the page gave
 * the request, and the session counts rounds. A request belongs to the latest round that its page knew about. When a
 * request is given up as lost, a new round starts, and requests from earlier rounds can no longer start a payment.
 */
export const paymentRequests = `
  alter table checkout_session add column payment_round integer not null default 0;

  alter table decision add column request_id uuid;
`;
