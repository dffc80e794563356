/**
 * What a merchant's developers see of their requests to the API, for thirty days. `id` is the request's, which begins
 * with its time. Never what stood in a body, a query or a header, but for the Idempotency-Key, which is not secret.
 * Refers to nothing, so that writing it waits for nothing.
 */
export const requestLog = `
  create table request_log (
    id              text primary key,
    account_id      text not null,
    livemode        boolean not null,
    api_key_id      text not null,
    method          text not null,
    path            text not null,
    status          integer not null,
    error_code      text,
    idempotency_key text,
    differed        text[],
    duration_ms     integer not null,
    created_at      timestamptz not null
  );
  create index on request_log (account_id, livemode, id);
  create index on request_log (account_id, livemode, id) where status >= 400;
  create index on request_log (created_at);
`;
