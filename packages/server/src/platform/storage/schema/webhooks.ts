/**
 * Events, and their deliveries to webhook endpoints.
 *
 * - A `webhook_endpoint` is enabled, disabled with a reason, or deleted (`deleted_at`; deliveries still refer to it).
 *   `held_until`: it requested a pause, or doesn't respond in time. `failing_since`: no delivery has succeeded since
 *   then. After a rotation, the previous secret still signs for a while. `first_success_at` is never cleared.
 * - An `event` is something that happened to an object. `object` is `json`, not `jsonb`, which keeps the text as written.
 *   `event_sequence` counts the events of each object.
 * - The feed of an account's events consists of numbered entries (`feed_entry`). The transaction that writes or redelivers
 *   an event only adds it to `feed_queue`, so transactions don't wait for each other. A reader of the feed, or a worker,
 *   numbers what is in the queue while it holds the account's `feed_counter`. The events of an object are queued in the
 *   order of their `object_sequence`, because `event_sequence` is locked meanwhile, so they are numbered in that order.
 * - A `delivery` sends one event to one endpoint, and is committed with the event. It is its own entry in the queue: it
 *   is pending, and due at `next_try_at`. A process that claims it moves `next_try_at` forward as a lease, and records
 *   the result only if that value is unchanged. The index finds each endpoint's due deliveries separately.
 */
export const webhooks = /* sql */ `
  create table webhook_endpoint (
    account_no             bigint not null references account,
    livemode               boolean not null,
    id                     text not null,
    url                    text not null,
    sealed_secret          bytea not null,
    sealed_previous_secret bytea,
    previous_secret_until  timestamptz,
    enabled_events         text[],
    description            text,
    status                 text not null check (status in ('enabled', 'disabled')),
    disabled_reason        text check (disabled_reason in ('requested', 'gone', 'failing')),
    failing_since          timestamptz,
    held_until             timestamptz,
    first_success_at       timestamptz,
    created_at             timestamptz not null,
    deleted_at             timestamptz,
    primary key (account_no, livemode, id)
  );

  create table event_sequence (
    account_no bigint not null,
    livemode   boolean not null,
    object_id  text not null,
    last       integer not null,
    primary key (account_no, livemode, object_id)
  );

  create table event (
    account_no      bigint not null,
    livemode        boolean not null,
    id              text not null,
    type            text not null,
    object_id       text not null,
    object_sequence integer not null,
    object          json not null,
    request_id      text,
    idempotency_key text,
    created_at      timestamptz not null,
    primary key (account_no, livemode, id),
    unique (account_no, livemode, object_id, object_sequence)
  );
  create index on event (account_no, livemode, type, id);

  create table feed_queue (
    account_no bigint not null,
    livemode   boolean not null,
    position   bigint generated always as identity,
    event_id   text not null,
    primary key (account_no, livemode, position)
  );

  create table feed_counter (
    account_no bigint not null,
    livemode   boolean not null,
    last       bigint not null,
    primary key (account_no, livemode)
  );

  create table feed_entry (
    account_no bigint not null,
    livemode   boolean not null,
    number     bigint not null,
    event_id   text not null,
    event_type text not null,
    primary key (account_no, livemode, number)
  );
  create index on feed_entry (account_no, livemode, event_id, number);

  create table delivery (
    account_no      bigint not null,
    livemode        boolean not null,
    endpoint_id     text not null,
    id              text not null,
    event_id        text not null,
    status          text not null check (status in ('pending', 'succeeded', 'failed')),
    tries           integer not null default 0,
    next_try_at     timestamptz not null,
    last_try_at     timestamptz,
    response_status integer,
    response_body   text,
    duration_ms     integer,
    failure         text,
    created_at      timestamptz not null,
    primary key (account_no, livemode, endpoint_id, id),
    foreign key (account_no, livemode, endpoint_id) references webhook_endpoint,
    foreign key (account_no, livemode, event_id) references event,
    unique (account_no, livemode, event_id, endpoint_id)
  );
  create index delivery_due on delivery (account_no, livemode, endpoint_id, next_try_at) where status = 'pending';
  create index delivery_failed on delivery (account_no, livemode, endpoint_id, id) where status = 'failed';
  -- The endpoint determines the owner. Otherwise, PostgreSQL expects few deliveries for each endpoint, and sorts them.
  create statistics delivery_owner (dependencies) on account_no, livemode, endpoint_id from delivery;
`;
