/**
 * What the service remembers about requests.
 *
 * - An `idempotency_key` keeps the response to a request for 24 hours from `answered_at`, because a response may come long
 *   after its request. `attempt_id` is its recovery point: from then on the response depends on the attempt.
 * - The `request_log` is shown to a merchant's developers for 30 days. `id` is the request ID, which starts with its time.
 *   Bodies, queries and headers are never stored, except the Idempotency-Key, which isn't secret.
 * - A `rate_bucket` contains the tokens of one limit. No row means that the bucket is full, so rows that haven't been used
 *   for a while are deleted. The table is unlogged: a crash loses only a few seconds of requests.
 *
 * These tables have no foreign keys, so writing a row waits for nothing.
 */
export const requests = /* sql */ `
  create table idempotency_key (
    account_no      bigint not null,
    livemode        boolean not null,
    key             text not null,
    fingerprint     bytea not null,
    field_digests   jsonb,
    claim           text not null,
    lease_until     timestamptz,
    attempt_id      text,
    response_status integer,
    sealed_response bytea,
    differed        text[],
    created_at      timestamptz not null,
    answered_at     timestamptz,
    primary key (account_no, livemode, key),
    check ((response_status is null) = (sealed_response is null)),
    check ((response_status is null) = (answered_at is null))
  );
  create index on idempotency_key (answered_at) where answered_at is not null;

  create table request_log (
    account_no      bigint not null,
    livemode        boolean not null,
    id              text not null,
    api_key_id      text not null,
    method          text not null,
    path            text not null,
    status          integer not null,
    error_code      text,
    idempotency_key text,
    differed        text[],
    duration_ms     integer not null,
    created_at      timestamptz not null,
    primary key (account_no, livemode, id)
  );
  create index on request_log (account_no, livemode, id) where status >= 400;
  create index on request_log (created_at);

  create unlogged table rate_bucket (
    name        text primary key,
    tokens      double precision not null,
    granted     integer not null,
    refilled_at timestamptz not null
  );
  create index on rate_bucket (refilled_at);
`;
