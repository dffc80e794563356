/**
 * The API requests shown to a merchant's developers for 30 days. `id` is the request ID, which starts with its time.
 * Bodies, queries and headers are never stored, except the Idempotency-Key, which isn't secret. There are no foreign
 * keys, so writing a row waits for nothing.
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
